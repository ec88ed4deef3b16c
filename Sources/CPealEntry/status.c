/* Names and texts of statuses. Not Swift: they come from the header's list, by its macro. */
#include <peal/status.h>

const char *peal_status_name(peal_status status)
{
    switch ((int)status) {
#define NAME(name, number, text) \
    case number: return #name;
        PEAL_STATUS_LIST(NAME)
#undef NAME
    }
    return "PEAL_UNKNOWN_STATUS";
}

const char *peal_status_text(peal_status status)
{
    switch ((int)status) {
#define TEXT(name, number, text) \
    case number: return text;
        PEAL_STATUS_LIST(TEXT)
#undef TEXT
    }
    return "not a status of this library";
}
