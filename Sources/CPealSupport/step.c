#include "CPealSupport/step.h"

const uint32_t peal_no_gate = 0;
