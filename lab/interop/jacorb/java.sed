# Corrects the generated Java for the IDL that idl.sed rewrites with another meaning.
s/'@'/'\\n'/
/[Ll]ong/!{/discriminator\|disc /{/[^-]2147483647/s/2147483647/4294967296L/g}}
s/insert_longlong ((2147483647))/insert_longlong (4294967296L)/
# The default member of a union accepts only one of its discriminators.
/if (_\?discriminator != \(0\|2\|(char)0.*\))$/s/if (.*)$/if (false)/
# Also when it is read, the discriminator is lost.
s/result\.\(numbers\|rest\) (_var);/result.\1 (disc,_var);/
# The TypeCode of a union that contains itself through a typedef recurses without end.
/UnionMember ("terms"/s/Interop\.ExpressionHelper\.type()/org.omg.CORBA.ORB.init().create_recursive_tc("IDL:armilla.org\/Interop\/Expression:1.0")/
