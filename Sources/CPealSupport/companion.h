/* Loads a library of peal that another one needs at run time, such as libpeal-inspect for libpeal.
 *
 * Not Swift: dlopen. libpeal-inspect compiles this file too, to load libpeal-wire.
 */
#ifndef CPEAL_COMPANION_H
#define CPEAL_COMPANION_H

/* Loads a library from the folder of its owner, else from where the loader finds libraries. A program may change its current
 * folder to one of another user, so no folder is used whose path is relative.
 *
 * owner: the address of a function of the library that needs the other one.
 * name: of the file.
 * out_message: a sentence on failure, *borrowed* until the next call of dlopen on this thread.
 * Returns NULL on failure. */
void *peal_companion_load(const void *owner, const char *name, const char **out_message);

#endif
