// SPDX-License-Identifier: Apache-2.0
//
// Descriptions, fingerprints and lists in C++.
#include "cpp.hpp"

#include <algorithm>
#include <string>

PEAL_TYPE(spot_text, struct spot { int x, y; });
PEAL_CXX_TYPE(spot, "struct spot", spot_text);

struct chart : peal::protocol {
    static constexpr const char *protocol_name = "Chart";
    peal::method<bool(spot, std::string_view)> marked{ peal::required, "marked" };
};

CLAIM("P7", "a description in C++ ends with its variable")
{
    house h;
    const auto defined = peal::define<chart>(h.center);
    const peal::type_description marked = peal::describe(defined.marked);
    const peal::type_description type = peal::describe(h.center, "struct spot");
    CHECK_EQUAL(marked->kind, PEAL_KIND_FUNCTION);
    CHECK_TEXT(marked->members->type->name, "struct spot");
    CHECK_TEXT(type->members->next->name, "y");
    CHECK_THROWS(peal::describe(h.center, "struct nothing"), PEAL_ERROR_TYPE, "nothing");
}

CLAIM("P8", "a fingerprint is that of the C interface")
{
    house h;
    const auto defined = peal::define<chart>(h.center);
    std::uint64_t value = 0;
    CHECK_OK(peal_method_fingerprint(defined.marked, &value));
    CHECK(peal::fingerprint(defined.marked) == value);
    CHECK(peal::canonical_text(defined.marked).find("struct spot { int x; int y; };\n") == 0);
    CHECK(peal::canonical_text(defined).find("protocol Chart\n") == 0);
    CHECK(peal::fingerprint(defined) != value);
}

CLAIM("P9", "a list in C++ is a vector of any length")
{
    house h;
    std::vector<peal::center> more;
    for (int i = 0; i < 40; i++)
        more.push_back(peal::center::create());
    const auto centers = peal::list(peal_center_list);
    CHECK(centers.size() >= 41);
    CHECK(std::any_of(centers.begin(), centers.end(),
        [&](peal_center each) { return each.id == static_cast<peal_center>(more[39]).id; }));
    const auto defined = peal::define<chart>(h.center);
    const auto protocols = peal::list(peal_protocol_list, h.center);
    CHECK(std::any_of(protocols.begin(), protocols.end(),
        [&](peal_protocol each) { return each.id == static_cast<peal_protocol>(defined).id; }));
    CHECK_EQUAL(peal::list(peal_protocol_list_methods, defined).size(), 1u);
}
