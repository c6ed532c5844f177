from unabridged.language.word_cache import WordCache


def test_words_of_daily_use_are_computed_once_and_others_are_dropped():
    computed = []

    def length(word):
        computed.append(word)
        return len(word)

    cache = WordCache(length, most=10)
    for n in range(100):
        assert cache["daily"] == 5
        assert cache[f"rare{n:02}"] == 6
    assert computed.count("daily") == 1
    assert len(computed) == 101
    assert len(cache) <= 10
    assert cache["rare00"] == 6
    assert computed.count("rare00") == 2
