#ifndef PEAL_PROPERTY_H
#define PEAL_PROPERTY_H
#include "types.h"
#endif
