/* Clang's nullability marks, by which Swift recognises pointers that may be NULL. Empty for other compilers. */
#ifndef CPEAL_NULLABILITY_H
#define CPEAL_NULLABILITY_H

#ifndef __clang__
#define _Nonnull
#define _Nullable
#endif

#endif
