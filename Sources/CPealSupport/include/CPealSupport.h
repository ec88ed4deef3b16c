/* The C of peal's own that Swift needs. Each file says why it cannot be Swift. */
#ifndef CPEAL_SUPPORT_H
#define CPEAL_SUPPORT_H

#include "frame.h"
#include "memory.h"
#include "probe.h"
#include "sanitizer.h"
#include "snapshot.h"
#include "thread.h"

#endif
