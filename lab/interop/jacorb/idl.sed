# Rewrites the IDL that JacORB's compiler rejects or compiles to wrong Java. A rule marked = keeps
# the meaning. java.sed corrects the Java that results from the other rules.

# = It rejects hexadecimal numbers of 64 bits.
s/-0x7FFFFFFFFFFFFFFF/-9223372036854775807/
# = It omits the parentheses around the expression of a constant.
s/case SHIFTED:/case 271:/
# It does not convert an unsigned label to the signed type of Java.
s/case 65535:/case -1:/
# It assumes that all labels have 32 bits.
s/case 4294967296:/case 2147483647:/
# It unescapes the characters of labels twice.
s/case '\\n':/case '@':/
# It does not know orb.idl. Only the name of TypeCode is needed from it.
s/#include <orb.idl>/module CORBA { interface TypeCode; };/
