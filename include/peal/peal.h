/* SPDX-License-Identifier: Apache-2.0
 *
 * peal.h - everything. Parts of one program work together without knowing each other: one call
 * reaches every part that cares.
 *
 * Where to read on: protocol.h declares what can be called, observer.h registers who listens,
 * broadcast.h calls. service.h has singletons by name, module.h parts that share the application's life.
 */
#ifndef PEAL_PEAL_H
#define PEAL_PEAL_H

#include "base.h"
#include "broadcast.h"
#include "builtin.h"
#include "center.h"
#include "completion.h"
#include "inspect.h"
#include "invocation.h"
#include "module.h"
#include "observer.h"
#include "owner.h"
#include "property.h"
#include "protocol.h"
#include "proxy.h"
#include "queue.h"
#include "reference.h"
#include "service.h"
#include "status.h"
#include "timer.h"
#include "types.h"
#include "version.h"

#endif
