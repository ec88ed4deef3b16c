# Public names of the Swift API that have changed, old to new, for programs that were written for an earlier version. Apply it
# once, to all files of such a program together:
#
#     sed -i -E -f docs/renames-swift.sed *.swift
#
# Timer and Service are only renamed where they are certainly peal's: with arguments, or generic. Functions whose blocking
# form now ends in Blocking are not in this list, because the new name depends on the caller. Tasks await the old name.

# 0.1.0: names that clash with other modules
s/\bPeal\.Timer\b/QueueTimer/g
s/\bTimer\(every:/QueueTimer(every:/g
# (The module Observation of the standard library keeps its name, in imports and before a point.)
/\bimport\b/!s/\bObservation\b([^.]|$)/ObserverToken\1/g
s/\bService</ServiceProvider</g
s/\bTelling\b/ChangeNotification/g

# 0.1.0: one label of time limits
s/\bwithin: (\.|nil)/timeout: \1/g
s/\bterminatingWithin:/timeout:/g
s/\b(cancelAndWait\(.*)limit:/\1timeout:/g
s/\bserviceWhenRegistered\b/waitForService/g

# 0.1.0: an observation ends with its token, unless it is registered for an object
s/\b(observe\(.*, )([A-Za-z_]+!?|[A-Z][A-Za-z]*\([^()]*\)), holding: \.strongly/\1retaining: \2/g
s/\b(observe\(.*)\bweakly: /\1for: /g
/\) \{$/!s/\b((un)?observe\((\(any [A-Za-z_.]+\)|[A-Z][A-Za-z_.]*)\.self, )([a-z][A-Za-z_]*!?|[A-Z][A-Za-z]*\([^()]*\))(,|\))/\1for: \4\5/g
s/\b(unobserve\(.*)\bby: /\1for: /g

# 0.1.0: one label and one type of buffering policies, and of time limits
s/\b((service|module)Events\()buffering: /\1bufferingPolicy: /g
s/\bBroadcasts<[^<>]*>\.BufferingPolicy\b/BufferingPolicy/g
s/\bstepTimeLimit\b/stepTimeout/g

# 0.1.0: the names of C. Calls of remove() on services become removeInstance() by hand, before unregister() becomes remove()
s/\bunregister\(\)/remove()/g
s/\bcounts\(\)/info()/g
s/\bQueue\.Counts\b/Queue.Info/g
s/\bfacts\(\)/info()/g
s/\bQueueTimer\.Facts\b/QueueTimer.Info/g
s/\b(QueueTimer\(.*)\bweakly: /\1for: /g

# 0.1.0: outcomes count observers
s/\b(outcome|result|info|completion)\.asked\b/\1.observers/g
