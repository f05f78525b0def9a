/* Prints VARIANT and SAFEARRAY values as wine's marshallers write them, one line each: name, octets.
   Words that hold pointers, whose values mean nothing, are printed as they are; `variants` masks
   them. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#define COBJMACROS
#include <windef.h>
#include <winbase.h>
#include <oleauto.h>
#include <rpcproxy.h>

ULONG WINAPI VARIANT_UserSize(ULONG *, ULONG, VARIANT *);
unsigned char *WINAPI VARIANT_UserMarshal(ULONG *, unsigned char *, VARIANT *);
ULONG WINAPI LPSAFEARRAY_UserSize(ULONG *, ULONG, LPSAFEARRAY *);
unsigned char *WINAPI LPSAFEARRAY_UserMarshal(ULONG *, unsigned char *, LPSAFEARRAY *);

static ULONG flags = MAKELONG(MSHCTX_DIFFERENTMACHINE, NDR_LOCAL_DATA_REPRESENTATION);
static unsigned char space[65536] __attribute__((aligned(16)));

static void print(const char *name, unsigned char *end)
{
    printf("%s ", name);
    for (unsigned char *at = space; at < end; at++) printf("%02x", *at);
    printf("\n");
    memset(space, 0, sizeof space);
}

static void variant(const char *name, VARIANT *value)
{
    print(name, VARIANT_UserMarshal(&flags, space, value));
}

static VARIANT made(VARTYPE type)
{
    VARIANT value;
    VariantInit(&value);
    V_VT(&value) = type;
    return value;
}

static BSTR text(const char *latin)
{
    WCHAR wide[256];
    int n = 0;
    for (; latin[n]; n++) wide[n] = (unsigned char)latin[n];
    return SysAllocStringLen(wide, n);
}

#define SCALAR(name, type, field, number) \
    do { VARIANT v = made(type); field(&v) = number; variant(name, &v); } while (0)
#define BY_REFERENCE(name, vt, ctype, field, number) \
    do { ctype it = number; VARIANT v = made(vt | VT_BYREF); field(&v) = &it; variant(name, &v); } while (0)

static SAFEARRAY *vector(VARTYPE type, LONG lower, ULONG count, const void *data, unsigned size)
{
    SAFEARRAY *array = SafeArrayCreateVector(type, lower, count);
    if (data && size) memcpy(array->pvData, data, size);
    return array;
}

static void array(const char *name, VARTYPE type, SAFEARRAY *it)
{
    VARIANT v = made(VT_ARRAY | type);
    V_ARRAY(&v) = it;
    variant(name, &v);
}

static void scalars(void)
{
    VARIANT v;
    v = made(VT_EMPTY); variant("empty", &v);
    v = made(VT_NULL); variant("null", &v);
    SCALAR("i1", VT_I1, V_I1, -5);
    SCALAR("ui1", VT_UI1, V_UI1, 250);
    SCALAR("i2", VT_I2, V_I2, -300);
    SCALAR("ui2", VT_UI2, V_UI2, 65000);
    SCALAR("i4", VT_I4, V_I4, -70000);
    SCALAR("ui4", VT_UI4, V_UI4, 4000000000u);
    SCALAR("int", VT_INT, V_INT, -7);
    SCALAR("uint", VT_UINT, V_UINT, 7);
    SCALAR("i8", VT_I8, V_I8, -5000000000ll);
    SCALAR("ui8", VT_UI8, V_UI8, 5000000000ull);
    SCALAR("r4", VT_R4, V_R4, 1.5f);
    SCALAR("r8", VT_R8, V_R8, -2.25);
    SCALAR("true", VT_BOOL, V_BOOL, VARIANT_TRUE);
    SCALAR("false", VT_BOOL, V_BOOL, VARIANT_FALSE);
    SCALAR("error", VT_ERROR, V_ERROR, DISP_E_PARAMNOTFOUND);
    SCALAR("date", VT_DATE, V_DATE, 36526.5);
    v = made(VT_CY); V_CY(&v).int64 = -123456789ll; variant("cy", &v);
    DECIMAL d;
    memset(&d, 0, sizeof d);
    d.scale = 4; d.sign = DECIMAL_NEG; d.Hi32 = 1; d.Lo64 = 0x123456789abcdef0ull;
    V_DECIMAL(&v) = d; V_VT(&v) = VT_DECIMAL; variant("decimal", &v);
    v = made(VT_BSTR); V_BSTR(&v) = text("abc"); variant("bstr", &v);
    V_BSTR(&v) = text(""); variant("bstr_empty", &v);
    V_BSTR(&v) = NULL; variant("bstr_null", &v);
    V_BSTR(&v) = SysAllocStringByteLen("odd", 3); variant("bstr_octets", &v);
    V_BSTR(&v) = text("a\xe9\xff z"); variant("bstr_latin", &v);
    v = made(VT_UNKNOWN); V_UNKNOWN(&v) = NULL; variant("unknown_null", &v);
    v = made(VT_DISPATCH); V_DISPATCH(&v) = NULL; variant("dispatch_null", &v);
}

static void references(void)
{
    BY_REFERENCE("ref_i1", VT_I1, signed char, V_I1REF, -5);
    BY_REFERENCE("ref_ui1", VT_UI1, BYTE, V_UI1REF, 250);
    BY_REFERENCE("ref_i2", VT_I2, SHORT, V_I2REF, -300);
    BY_REFERENCE("ref_i4", VT_I4, LONG, V_I4REF, -70000);
    BY_REFERENCE("ref_i8", VT_I8, LONGLONG, V_I8REF, -5000000000ll);
    BY_REFERENCE("ref_r4", VT_R4, FLOAT, V_R4REF, 1.5f);
    BY_REFERENCE("ref_r8", VT_R8, DOUBLE, V_R8REF, -2.25);
    BY_REFERENCE("ref_bool", VT_BOOL, VARIANT_BOOL, V_BOOLREF, VARIANT_TRUE);
    BY_REFERENCE("ref_date", VT_DATE, DATE, V_DATEREF, 36526.5);
    CY cy = { .int64 = 10000 };
    VARIANT v = made(VT_CY | VT_BYREF); V_CYREF(&v) = &cy; variant("ref_cy", &v);
    DECIMAL d;
    memset(&d, 0, sizeof d);
    d.scale = 2; d.Lo64 = 314;
    v = made(VT_DECIMAL | VT_BYREF); V_DECIMALREF(&v) = &d; variant("ref_decimal", &v);
    BSTR b = text("abcd");
    v = made(VT_BSTR | VT_BYREF); V_BSTRREF(&v) = &b; variant("ref_bstr", &v);
    VARIANT inner = made(VT_I4);
    V_I4(&inner) = 12;
    v = made(VT_VARIANT | VT_BYREF); V_VARIANTREF(&v) = &inner; variant("ref_variant_i4", &v);
    inner = made(VT_BSTR); V_BSTR(&inner) = text("abc");
    V_VARIANTREF(&v) = &inner; variant("ref_variant_bstr", &v);
    LONG numbers[] = { 1, -2 };
    SAFEARRAY *it = vector(VT_I4, 0, 2, numbers, sizeof numbers);
    v = made(VT_ARRAY | VT_I4 | VT_BYREF); V_ARRAYREF(&v) = &it; variant("ref_array_i4", &v);
}

static SAFEARRAY *strings(void)
{
    SAFEARRAY *it = SafeArrayCreateVector(VT_BSTR, 0, 2);
    BSTR *each = it->pvData;
    each[0] = text("one"); each[1] = text("three");
    return it;
}

static SAFEARRAY *mixed(void)
{
    SAFEARRAY *it = SafeArrayCreateVector(VT_VARIANT, 1, 3);
    VARIANT *each = it->pvData;
    each[0] = made(VT_I4); V_I4(&each[0]) = 5;
    each[1] = made(VT_BSTR); V_BSTR(&each[1]) = text("two");
    each[2] = made(VT_R8); V_R8(&each[2]) = 0.5;
    return it;
}

static SAFEARRAY *table(void)
{
    SAFEARRAYBOUND bounds[] = { { 2, 0 }, { 3, -1 } };
    SAFEARRAY *it = SafeArrayCreate(VT_I2, 2, bounds);
    SHORT *each = it->pvData;
    for (int i = 0; i < 6; i++) each[i] = i * 11;
    return it;
}

static void arrays(void)
{
    BYTE octets[] = { 1, 2, 3, 4, 5 };
    SHORT shorts[] = { 1, -2, 3 };
    LONG longs[] = { 1, -2, 3 };
    LONGLONG huge[] = { 1, -2 };
    float floats[] = { 0.5f, -0.25f, 8 };
    double doubles[] = { 0.5, -0.25 };
    VARIANT_BOOL bools[] = { VARIANT_TRUE, VARIANT_FALSE };
    CY money[] = { { .int64 = 10000 }, { .int64 = -1 } };
    array("array_ui1", VT_UI1, vector(VT_UI1, 0, 5, octets, sizeof octets));
    array("array_i1", VT_I1, vector(VT_I1, 0, 5, octets, sizeof octets));
    array("array_i2", VT_I2, vector(VT_I2, 0, 3, shorts, sizeof shorts));
    array("array_ui2", VT_UI2, vector(VT_UI2, 3, 3, shorts, sizeof shorts));
    array("array_i4", VT_I4, vector(VT_I4, 0, 3, longs, sizeof longs));
    array("array_ui4", VT_UI4, vector(VT_UI4, -4, 3, longs, sizeof longs));
    array("array_i8", VT_I8, vector(VT_I8, 0, 2, huge, sizeof huge));
    array("array_r4", VT_R4, vector(VT_R4, 0, 3, floats, sizeof floats));
    array("array_r8", VT_R8, vector(VT_R8, 0, 2, doubles, sizeof doubles));
    array("array_date", VT_DATE, vector(VT_DATE, 0, 2, doubles, sizeof doubles));
    array("array_bool", VT_BOOL, vector(VT_BOOL, 0, 2, bools, sizeof bools));
    array("array_cy", VT_CY, vector(VT_CY, 0, 2, money, sizeof money));
    array("array_error", VT_ERROR, vector(VT_ERROR, 0, 3, longs, sizeof longs));
    array("array_empty", VT_I4, vector(VT_I4, 0, 0, NULL, 0));
    array("array_bstr", VT_BSTR, strings());
    array("array_variant", VT_VARIANT, mixed());
    array("array_table", VT_I2, table());
    VARIANT v = made(VT_ARRAY | VT_I4);
    V_ARRAY(&v) = NULL; variant("array_null", &v);
    SAFEARRAY *it = vector(VT_I4, 0, 3, longs, sizeof longs);
    print("safearray_i4", LPSAFEARRAY_UserMarshal(&flags, space, &it));
    it = strings();
    print("safearray_bstr", LPSAFEARRAY_UserMarshal(&flags, space, &it));
    it = mixed();
    print("safearray_variant", LPSAFEARRAY_UserMarshal(&flags, space, &it));
    it = NULL;
    print("safearray_null", LPSAFEARRAY_UserMarshal(&flags, space, &it));
}

int main(void)
{
    scalars();
    references();
    arrays();
    return 0;
}
