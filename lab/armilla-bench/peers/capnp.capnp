# What the latency interface is in CORBA, for Cap'n Proto.
@0xd3c8f1a2b4e59607;

struct BinStruct {
  s @0 :Int16;
  c @1 :UInt8;
  l @2 :Int32;
  o @3 :UInt8;
  d @4 :Float64;
}

interface Target {
  sendNothing @0 () -> ();
  sendStructs @1 (structs :List(BinStruct)) -> ();
  sendOctets @2 (octets :Data) -> ();
  drain @3 (octets :Data) -> stream;
  confirm @4 () -> (octets :UInt64);
  getStrings @5 (index :UInt32, count :UInt32) -> (strings :List(Text));
}
