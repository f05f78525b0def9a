# Puts right in the generated Java what idl.sed had to say wrongly.
s/'@'/'\\n'/
/[Ll]ong/!{/discriminator\|disc /{/[^-]2147483647/s/2147483647/4294967296L/g}}
s/insert_longlong ((2147483647))/insert_longlong (4294967296L)/
# The default member of a union takes one of its discriminators only.
/if (_\?discriminator != \(0\|2\|(char)0.*\))$/s/if (.*)$/if (false)/
# Read as well, it forgets which it was.
s/result\.\(numbers\|rest\) (_var);/result.\1 (disc,_var);/
# The TypeCode of a union that contains itself by way of a typedef calls itself without end.
/UnionMember ("terms"/s/Interop\.ExpressionHelper\.type()/org.omg.CORBA.ORB.init().create_recursive_tc("IDL:armilla.org\/Interop\/Expression:1.0")/
