"""Conversations that once broke a promise of contexts: what was said, the message, the window."""

BROKEN = [
    (
        [
            (True, "F4,w", "j\U0004052b\x07\U0004ee10\U00015659§\x00¢\x10\x1e"),
            (
                True,
                "list: project 预算. 预算 <recalled> 会议 cheese cheese Käse? project Käse? why! Anna why! <recalled>. project remember. 12 March cheese Käse? remember 预算 会议 moon Anna Anna project moon <recalled> 预算. 会议 Käse? Käse? project. <recalled> why! project Anna remember 预算 Käse? March <recalled>. code project. cheese code. moon moon why! Anna moon moon. ",
                "list: project 预算. 预算 <recalled> 会议 cheese cheese Käse? project Käse? why! Anna why! <recalled>. project remember. 12 March cheese Käse? remember 预算 会议 moon Anna Anna project moon <recalled> 预算. 会议 Käse? Käse? project. <recalled> why! project Anna remember 预算 Käse? March <recalled>. code project. cheese code. moon moon why! Anna moon moon. ",
            ),
            (
                False,
                "Käse? cheese cheese. 会议 remember. 预算 会议 project 会议 cheese <recalled> 会议 Käse? Käse? 预算 Anna code. code Anna 12 Anna 会议 cheese <recalled> remember 会议 预算. ",
                "moon project 预算 remember March cheese 预算 <recalled> Käse? moon 预算. 12 会议 remember <recalled> project 12 list: 会议. why!. Anna cheese cheese 12 预算 code 会议 12 cheese 12 预算 会议 why! 会议. Anna 会议 why! remember Anna list: 会议 list: Anna why! why! moon moon cheese. ",
            ),
            (
                False,
                "project project moon 会议. moon March Käse?. list: Käse? Käse? code. Käse? Anna project. project list:. project cheese list: 预算 预算 March 12. 12 why! moon. list: March list: why! March March cheese. project. cheese project moon cheese 预算 <recalled> <recalled> 12. remember. March March <recalled> cheese. Käse? Käse? <recalled> code cheese 预算 March. moon <recalled>. project 会议 预算 March Anna moon Käse? why!. <recalled> project. ",
                "remember Käse? project 12 March March March list:. list: list: why!. ",
            ),
        ],
        "remember the cheese project?",
        1260,
    ),
    (
        [
            (
                False,
                "M\rcú",
                "<recalled> cheese Käse? list: 会议 12 why! 12 Anna remember remember 会议 code why!. Anna moon moon remember. code. <recalled> Käse? Käse? moon 预算 moon. cheese. 12 remember 预算 会议 why! remember why! code cheese remember. Anna code code March 12 why! 12 会议 预算 <recalled> Käse? March moon code. code 预算 code 12 remember project Käse? code 12 project remember March moon. ",
            ),
            (
                False,
                "remember 12. cheese code 12 预算 cheese why! Käse? moon. ",
                "cheese. cheese. cheese. ",
            ),
            (
                True,
                "cheese. cheese. cheese cheese. cheese. ",
                "cheese. cheese. cheese. cheese. cheese. cheese. cheese. ",
            ),
        ],
        "cheese. cheese. cheese. cheese. ",
        512,
    ),
]
