//! CDR: the Common Data Representation of CORBA, encoded and decoded.
