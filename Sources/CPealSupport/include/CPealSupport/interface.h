/* The structures that the engine fills or reads, and the types of callbacks. Each is declared once, in peal's public
 * headers. The engine does not use the handle types of C, so functions of this module fill the members of such types.
 *
 * The path is relative, because each build finds the module of the headers (include/module.modulemap) by it.
 */
#ifndef CPEAL_INTERFACE_H
#define CPEAL_INTERFACE_H

#include "../../../include/peal/peal.h"

#endif
