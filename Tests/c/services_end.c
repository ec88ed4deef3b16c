#include "services.h"
CLAIM("S1","x") { }
