internal import CPeal

/// Uses that last as long as the instance that was made with them.
final class UseKeeper {
    private var uses: [peal_use] = []

    func keep(_ use: peal_use) { uses.append(use) }

    deinit {
        for use in uses.reversed() { _ = peal_use_end(use) }
    }
}
