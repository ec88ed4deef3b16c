/* SPDX-License-Identifier: Apache-2.0 */
#include "center.h"

static int calls;

static void ring(void *self)
{
    (void)self;
    calls++;
}

CLAIM("O10", "thirty million blocks of one registration are counted, and one more is refused without harm")
{
    enum { LIMIT = 30000000 };
    const peal_center center = open_center();
    static const char *const texts[] = { "void on_ring(void)", NULL };
    const peal_protocol protocol = protocol_of(center, "Bell", texts);
    const peal_observation observation = observe_with(protocol, &calls, "on_ring", (peal_function)ring, NULL);
    long blocks = 0;

    check_allow_seconds(120);
    while (blocks <= LIMIT && peal_observation_block(observation) == PEAL_OK)
        blocks++;
    CHECK_EQUAL(blocks, LIMIT);
    CHECK_FAILURE(peal_observation_block(observation), PEAL_ERROR_LIMIT);
    CHECK_OK(peal_observation_unblock(observation));
    CHECK_OK(peal_observation_block(observation));
    CHECK_FAILURE(peal_observation_block(observation), PEAL_ERROR_LIMIT);
    CHECK_OK(peal_broadcast(find_method(protocol, "on_ring")));
    CHECK_EQUAL(calls, 0);
    CHECK(peal_observation_is_active(observation));
    close_center(center);
}
