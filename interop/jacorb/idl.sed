# What JacORB's IDL compiler cannot read or makes wrong Java of, said in another way. What is the same IDL
# said otherwise is marked =; the others are put right in the generated Java, see java.sed.

# = It takes no hexadecimal number that needs 64 bits.
s/-0x7FFFFFFFFFFFFFFF/-9223372036854775807/
# = It puts the expression of a constant without parentheses where only a number can be.
s/case SHIFTED:/case 271:/
# It does not convert the number of an unsigned label to Java's signed type.
s/case 65535:/case -1:/
# It takes all labels for 32 bits wide.
s/case 4294967296:/case 2147483647:/
# It reads the escape of a label once too often.
s/case '\\n':/case '@':/
# It does not know orb.idl, and of it nothing but the name of TypeCode is needed.
s/#include <orb.idl>/module CORBA { interface TypeCode; };/
