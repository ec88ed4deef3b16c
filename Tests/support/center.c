/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"

#include <string.h>

peal_center open_center(void)
{
    peal_center center = { 0 };

    check_must(peal_center_create(&center), "a center");
    return center;
}

void close_center(peal_center center) { check_must(peal_center_destroy(center), "ending a center"); }

peal_status try_protocol(peal_center center, const char *name, const char *const *adopts, const char *const *methods,
    peal_protocol *out_protocol)
{
    struct peal_protocol_description description;

    memset(&description, 0, sizeof description);
    description.size = sizeof description;
    description.name = name;
    description.adopts = adopts;
    description.methods = methods;
    return peal_protocol_define(center, &description, out_protocol, NULL, 0);
}

peal_protocol protocol_of(peal_center center, const char *name, const char *const *methods)
{
    peal_protocol protocol = { 0 };

    check_must(try_protocol(center, name, NULL, methods, &protocol), name);
    return protocol;
}

peal_method method_of(peal_center center, const char *protocol, const char *text)
{
    const char *const methods[] = { text, NULL };
    const peal_protocol made = protocol_of(center, protocol, methods);
    peal_method method = { 0 };
    size_t count = 0;

    check_must(peal_protocol_list_methods(made, &method, 1, &count), text);
    return method;
}

peal_method find_method(peal_protocol protocol, const char *name)
{
    peal_method method = { 0 };

    check_must(peal_method_find(protocol, name, &method), name);
    return method;
}

peal_observation observe_with(peal_protocol protocol, void *target, const char *method, peal_function function,
    const struct peal_observe_options *options)
{
    const struct peal_binding binding = { method, function, NULL };
    peal_observation observation = { 0 };

    check_must(peal_observe_bindings(protocol, target, &binding, 1, options, &observation), method);
    return observation;
}

size_t count_observers(peal_protocol protocol)
{
    size_t count = (size_t)-1;

    check_must(peal_protocol_count_observers(protocol, &count), "counting observers");
    return count;
}

size_t count_listed(peal_method method)
{
    size_t count = (size_t)-1;

    check_must(peal_method_count_observers(method, &count), "counting the observers of a method");
    return count;
}
