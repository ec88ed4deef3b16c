/* Clang's nullability marks, which tell Swift what may be NULL. Other compilers do without. */
#ifndef CPEAL_NULLABILITY_H
#define CPEAL_NULLABILITY_H

#ifndef __clang__
#define _Nonnull
#define _Nullable
#endif

#endif
