"""Premium that is paid for: the provider takes the money, this app knows what it opens."""
