public protocol Module: Sendable {}
