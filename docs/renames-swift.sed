# Public names of the Swift API that have changed, old to new, for programs that were written for an earlier version. Apply it
# once, to all files of such a program together:
#
#     sed -i -E -f docs/renames-swift.sed *.swift
#
# Timer and Service are only renamed where they are used as peal's: with arguments, or generic. Functions whose blocking form
# ends in Blocking now are not here, because the new name depends on the caller: await the old one in tasks.

# 0.1.0: names that clash with other modules
s/\bPeal\.Timer\b/QueueTimer/g
s/\bTimer\(every:/QueueTimer(every:/g
s/\bObservation\b/ObserverToken/g
s/\bService</ServiceProvider</g
s/\bTelling\b/ChangeNotification/g

# 0.1.0: one label of time limits
s/\bwithin: (\.|nil)/timeout: \1/g
s/\bterminatingWithin:/timeout:/g
s/\b(cancelAndWait\(.*)limit:/\1timeout:/g
s/\bserviceWhenRegistered\b/waitForService/g
