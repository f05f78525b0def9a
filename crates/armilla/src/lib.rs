//! A CORBA object request broker at the cost of the sockets beneath it.
