/* The headers whose protocols the program declares, so that C defines the same protocols. */
#include "../../../apps/logcast/log_fields.h"
#include "../../../apps/logcast/log_sink.h"
#include "../../../examples-c/mixed-swift-host/house.h"
#include "../../../examples-c/plugins/filter.h"
#include "kinds.h"
