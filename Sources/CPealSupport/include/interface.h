/* The structures of peal's public headers that the engine fills or reads, and the types of callbacks, each of which is
 * declared once, there. The engine makes those with handles by functions of this module, since it has no handles of C.
 *
 * The path is relative, because each build finds the module of the headers (include/module.modulemap) by it.
 */
#ifndef CPEAL_INTERFACE_H
#define CPEAL_INTERFACE_H

#include "../../../include/peal/peal.h"

#endif
