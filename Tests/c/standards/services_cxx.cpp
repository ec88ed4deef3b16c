// SPDX-License-Identifier: Apache-2.0
//
// Services from C++: a description, a typed get, a scope.
#include "center.h"

namespace
{

#define CLOCK(METHOD) METHOD(required, int, now, (int offset))
PEAL_PROTOCOL(clock_face, "Clock", CLOCK);

struct Clock {
    int time;
};

int now(void *self, int offset) { return static_cast<Clock *>(self)->time + offset; }

void *create(peal_creation *) { return new Clock{ 12 }; }
void destroy(void *self) { delete static_cast<Clock *>(self); }

peal_service register_clock(peal_center center)
{
    static const clock_face table = { PEAL_TABLE(clock_face), now };
    static const peal_provision provides[] = { { "Clock", &table }, { nullptr, nullptr } };
    peal_service_description description = PEAL_SERVICE_DESCRIPTION("clock");
    peal_service service = { 0 };

    CHECK_OK(clock_face_define(center, nullptr));
    description.provides = provides;
    description.create = create;
    description.destroy = destroy;
    CHECK_OK(peal_service_register(center, &description, &service));
    return service;
}

}  // namespace

CLAIM("S3", "a service is got from C++ by the type of its protocol")
{
    const peal_center center = open_center();

    register_clock(center);
    clock_face_use clock = PEAL_SERVICE(clock_face, center);
    REQUIRE(clock.self != nullptr);
    CHECK_EQUAL(clock.table->now(clock.self, 3), 15);
    CHECK_OK(peal_use_release(clock.use));
    close_center(center);
}

CLAIM("S5", "a scope of a service works in C++")
{
    const peal_center center = open_center();
    const peal_service service = register_clock(center);
    peal_protocol protocol;
    peal_scope scope;

    CHECK_OK(peal_protocol_find(center, "Clock", &protocol));
    CHECK_OK(peal_scope_begin(service, protocol, sizeof(clock_face), &scope));
    CHECK_EQUAL(static_cast<const clock_face *>(scope.table)->now(scope.self, 1), 13);
    CHECK_OK(peal_scope_end(&scope));
    close_center(center);
}
