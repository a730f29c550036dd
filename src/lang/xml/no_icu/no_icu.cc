// The functions of ICU that libxml2 refers to, for encodings that it does not know itself. ICU's data would be half of
// the program, so there are no such encodings here: each attempt to open one says so. The header gives the functions
// the names that this version of ICU has.
#include <unicode/ucnv.h>

extern "C" {

UConverter* ucnv_open(const char*, UErrorCode* error) {
  *error = U_FILE_ACCESS_ERROR;
  return nullptr;
}
void ucnv_close(UConverter*) {}
void ucnv_convertEx(UConverter*, UConverter*, char**, const char*, const char**, const char*, UChar*, UChar**, UChar**, const UChar*, UBool, UBool,
                    UErrorCode* error) {
  *error = U_FILE_ACCESS_ERROR;
}
void ucnv_setFromUCallBack(UConverter*, UConverterFromUCallback, const void*, UConverterFromUCallback*, const void**, UErrorCode* error) {
  *error = U_FILE_ACCESS_ERROR;
}
void ucnv_setToUCallBack(UConverter*, UConverterToUCallback, const void*, UConverterToUCallback*, const void**, UErrorCode* error) {
  *error = U_FILE_ACCESS_ERROR;
}
void UCNV_FROM_U_CALLBACK_STOP(const void*, UConverterFromUnicodeArgs*, const UChar*, int32_t, UChar32, UConverterCallbackReason, UErrorCode*) {}
void UCNV_TO_U_CALLBACK_STOP(const void*, UConverterToUnicodeArgs*, const char*, int32_t, UConverterCallbackReason, UErrorCode*) {}

}  // extern "C"
