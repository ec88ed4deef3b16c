internal import CPeal

/// The C functions of every service that is made in Swift. They find its closures by its context and its box.
enum ServiceFunctions {
    static let create: @convention(c) (UnsafeMutablePointer<peal_creation>?) -> UnsafeMutableRawPointer? = { memory in
        guard let memory, let context = memory.pointee.context else { return nil }
        let recipe = Box.object(context, as: ServiceRecipe.self)
        let kept = UseKeeper(of: String(cString: memory.pointee.service))
        let creation = Creation(memory, keeping: kept)
        do {
            guard let box = try recipe.make(creation) else { return nil }
            box.recipe = recipe
            box.kept = kept
            return Box.retain(box)
        } catch {
            creation.fail(with: error)
            return nil
        }
    }

    static let initialize: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<peal_creation>?) -> Bool = {
        pointer, memory in
        guard let memory, let box = box(pointer), let recipe = box.recipe, let kept = box.kept else { return false }
        let creation = Creation(memory, keeping: kept)
        do {
            try recipe.initialize(box, creation)
            return true
        } catch {
            creation.fail(with: error)
            return false
        }
    }

    static let clearData: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
        if let box = box(pointer) { box.recipe?.clearData(box) }
    }

    static let destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
        if let box = box(pointer) { box.recipe?.end(box) }
        Box.release(pointer)
    }

    private static func box(_ pointer: UnsafeMutableRawPointer?) -> InstanceBox? {
        pointer.map { Box.object($0, as: InstanceBox.self) }
    }
}
