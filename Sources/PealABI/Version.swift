internal import CPeal

@c @implementation
public func peal_version() -> UInt32 {
    UInt32(PEAL_VERSION_MAJOR * 10_000 + PEAL_VERSION_MINOR * 100 + PEAL_VERSION_PATCH)
}
