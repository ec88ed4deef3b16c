/* The structures of peal's public headers that the engine fills or reads, and the types of callbacks: each is declared
 * once, there. The engine makes those with handles by functions of this module, since it knows no handles of C.
 *
 * A relative path: the module of the headers (include/module.modulemap) is found in each build by it.
 */
#ifndef CPEAL_INTERFACE_H
#define CPEAL_INTERFACE_H

#include "../../../include/peal/peal.h"

#endif
