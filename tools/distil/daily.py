"""Small talk of our own: made-up turns of daily life, with the questions that they answer.

Dictionaries and manuals do not say "Hey Mel, guess what, we adopted a puppy!". The templates and
words below were written for this tool; the teacher's vectors of the turns teach the table that
greetings and thanks carry little, and what daily words mean beside one another.
"""

import random
import re
from collections.abc import Iterator

WORDS: dict[str, str] = {
    "name": "Anna Ben Clara David Elena Frank Grace Hannah Ivan Julia Kevin Laura Marco Nadia Oliver Priya Quentin Rosa Sam Tara Umar Vera Wendy Xavier Yuki Zoe Melissa Jordan Tyler Amara Diego Chloe Ethan Fatima Gabriel Isabel Jack Kim Leo Maya Noah Olga Peter Rachel Simon Theo Alex Jamie Robin Nina",
    "kin": "my sister|my brother|my mom|my dad|my wife|my husband|my partner|my girlfriend|my boyfriend|my daughter|my son|my kids|my grandma|my grandfather|my aunt|my uncle|my cousin|my best friend|my roommate|my neighbor|my boss|a colleague|an old friend from college|my niece|my nephew|my in-laws|my twins",
    "pet": "dog|cat|puppy|kitten|golden retriever|rescue dog|hamster|rabbit|parrot|guinea pig|goldfish|turtle|corgi|beagle|tabby cat|lizard|horse|German shepherd",
    "petname": "Max Bella Luna Charlie Coco Rocky Daisy Milo Oreo Pepper Biscuit Shadow Ginger Ziggy Mochi",
    "city": "Paris|London|Tokyo|Barcelona|Rome|Berlin|New York|Chicago|Seattle|Boston|San Francisco|Toronto|Lisbon|Amsterdam|Vienna|Dublin|Sydney|Bangkok|Seoul|Mexico City|Denver|Austin|Portland|Miami|Nairobi|Istanbul|Prague|Kyoto|Montreal|Stockholm",
    "nature": "the beach|the mountains|the lake|the forest|the national park|the Grand Canyon|the countryside|the coast|the desert|a waterfall|the river|an island|the botanical garden|the Rockies|Yellowstone|the Alps",
    "hobby": "sculpture|sketching|hiking|running|yoga|photography|gardening|knitting|chess|woodworking|baking|swimming|rock climbing|surfing|dancing|salsa dancing|camping|cycling|birdwatching|writing poetry|playing the guitar|playing the piano|playing the violin|video games|board games|martial arts|skiing|fishing|scuba diving|calligraphy|origami|meditation|volunteering|singing in a choir|stand-up comedy|journaling|sewing|kayaking|tennis|basketball|soccer",
    "class": "glassblowing|cooking|Spanish|French|Japanese|ballet|drawing|creative writing|yoga|photography|first aid|public speaking|coding|guitar|swimming|karate|history|statistics|wine tasting|sign language",
    "food": "pizza|sushi|pasta|lasagna|tacos|ramen|curry|a chocolate cake|banana bread|an apple pie|sourdough bread|pancakes|a lentil soup|a vegan burger|grilled salmon|roast chicken|a Greek salad|dumplings|paella|ice cream|blueberry muffins|stir-fried noodles|risotto|homemade cookies|chili|cheesecake|hummus|pad thai",
    "diet": "vegetarian|vegan|gluten free|lactose intolerant|allergic to peanuts|allergic to shellfish|on a low-carb diet|trying to eat less sugar|allergic to cats|diabetic",
    "job": "nurse|teacher|software engineer|graphic designer|chef|lawyer|photographer|mechanic|accountant|journalist|architect|social worker|data analyst|marketing manager|dentist|electrician|barista|librarian|veterinarian|firefighter|researcher|personal trainer|project manager|flight attendant|carpenter|translator",
    "firm": "a startup|the local hospital|an advertising agency|a bank|the university|a non-profit|a small bakery|Google|a law firm|the city council|a bookstore|an insurance company|a game studio|a primary school|an animal shelter",
    "ill": "the flu|a cold|a broken wrist|a sprained ankle|back pain|migraines|insomnia|knee surgery|a fever|anxiety|asthma|high blood pressure|allergies|a root canal|burnout|depression|an ear infection",
    "feel": "happy|proud|nervous|excited|sad|lonely|anxious|relieved|grateful|exhausted|overwhelmed|hopeful|disappointed|jealous|stressed|peaceful|angry|embarrassed|inspired|scared|surprised|homesick",
    "event": "a wedding|a birthday party|a concert|a funeral|a family reunion|a street fair|a marathon|a job interview|a music festival|an art exhibition|a baby shower|a graduation|a conference|a book club meeting|a school play|a football match|a housewarming party|a poetry reading|a talent show|a farmers market|a museum|a food festival|a fundraiser|a comedy show",
    "thing": "a new phone|a laptop|a used car|an electric bike|a camera|a pair of running shoes|a couch|a necklace|a guitar|a coffee machine|a tent|a bookshelf|headphones|a washing machine|a mattress|a smartwatch|a bicycle|a painting|a winter coat|a blender|a vintage record player|a telescope|a sewing machine|an air fryer|a backpack|a desk lamp|plants for the balcony",
    "media": "a fantasy novel|a documentary about the ocean|a thriller|a romantic comedy|a podcast about history|a biography of a musician|a science fiction series|a mystery novel|a children's book|a superhero movie|a horror film|a jazz album|a self-help book|an anime|a classical symphony|a video game|a cookbook|a true crime podcast|a poem about autumn",
    "month": "January February March April May June July August September October November December",
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "when": "yesterday|last week|last weekend|last month|two days ago|this morning|last Friday|last year|a few weeks ago|on Tuesday|in July|over the summer|two years ago|the other day|tonight|last night|recently|on my birthday|for Christmas|during the holidays",
    "soon": "tomorrow|next week|next month|this weekend|next Friday|in the spring|in two weeks|next summer|soon|on Saturday|at the end of the year",
    "count": "two three four five six seven ten twelve fifteen twenty thirty",
    "money": "$50|$120|$300|$800|$1,200|$2,500|400 euros|20 dollars|$15|half price",
    "goal": "lose some weight|learn Italian|save money for a house|run a half marathon|start a business|write a novel|quit smoking|spend more time with family|get a promotion|read more books|go back to school|move to another city|sleep better|drink more water|learn to drive|open a restaurant|get my pilot license|pay off my student loans|be more patient",
    "gift": "a necklace|a handmade mug|a book|flowers|a painting|a watch|tickets to a show|a scarf|a teddy bear|a cake|a framed photo|a gift card",
    "tool": "Python|Excel|Photoshop|Docker|Git|a spreadsheet|JavaScript|SQL|React|Linux|Notion|PowerPoint|WordPress|an API|a database|pandas",
    "topic": "climate change|World War II|machine learning|black holes|the Roman Empire|personal finance|nutrition|mindfulness|interior design|vaccines|renewable energy|taxes|parenting|time management|Greek mythology|the stock market|public transport|medieval art|genetics|cryptocurrency|dog training|home repair|wine|chess openings|email marketing|data privacy",
}
"""Slot to its words: separated by ``|``, or by spaces where every one is a single word."""

TURNS: list[tuple[str, str]] = [
    ("{when} {kin} and I adopted a {pet} and named it {petname}.", "What is the name of the {pet}?"),
    ("My {pet} {petname} got sick {when}, so I took it to the vet.", "When did {petname} go to the vet?"),
    ("{petname} loves to sleep on the couch and chase balls in the garden.", "What does {petname} like to do?"),
    ("I took {petname} for a long walk at {nature} {when}.", "Where did you walk {petname}?"),
    ("We traveled to {city} {when} and stayed there for {count} days.", "How long was the trip to {city}?"),
    ("I am flying to {city} {soon} with {kin}.", "Who is going along to {city}?"),
    ("I grew up in {city} but moved to {city2} {count} years ago.", "Where did you live before {city2}?"),
    ("We went camping at {nature} {when} and the tent leaked.", "When did you go camping?"),
    ("The fog at {nature} was so thick that my photos all came out grey.", "What did you photograph at {nature}?"),
    ("I have been into {hobby} for {count} years; it helps me relax.", "What do you do to relax?"),
    ("I just started {hobby} {when} and I already love it.", "Which hobby did you pick up?"),
    ("I signed up for a {class} class that starts {soon}.", "Which class did you sign up for?"),
    ("{kin} and I took a {class} workshop {when}; our teacher {name} was great.", "Who taught the {class} workshop?"),
    ("{name} invited me to go {hobby} {soon}.", "What did {name} invite you to?"),
    ("I cooked {food} for {kin} {when} and it turned out delicious.", "What did you cook for {kin}?"),
    ("My favorite food is {food}, I could eat it every day.", "What is your favorite food?"),
    ("We ordered {food} at the new restaurant downtown {when}.", "What did you eat at the restaurant?"),
    ("I am {diet}, so please keep that in mind for recipes.", "Do I have any dietary restrictions?"),
    ("{kin} is {diet} now, which makes cooking a bit harder.", "What can {kin} not eat?"),
    ("I work as a {job} at {firm}.", "What do you do for a living?"),
    ("I got a new job as a {job} at {firm}, I start {soon}!", "Where will you work?"),
    ("I quit my job at {firm} {when} because of the long hours.", "Why did you leave {firm}?"),
    ("{kin} got promoted at {firm} {when}.", "Who was promoted?"),
    ("I used to be a {job} before I became a {job2}.", "What was your previous occupation?"),
    ("I lost my job at {firm} {when} and I feel {feel}.", "How do you feel about losing your job?"),
    ("I had {ill} {when} and had to stay home.", "What health problem did you have?"),
    ("The doctor said that {kin} has {ill}; we are all a bit {feel}.", "What did the doctor say?"),
    ("My appointment with the doctor is on {day} at {count} o'clock.", "When is the doctor's appointment?"),
    ("I have been feeling {feel} since {kin} moved away.", "Why are you feeling {feel}?"),
    ("Talking to my therapist makes me feel less {feel}.", "What helps you feel better?"),
    ("I went to {event} {when} with {kin}.", "Which event did you attend?"),
    ("{name} and I are going to {event} {soon}.", "What are you planning with {name}?"),
    ("At {event} I met {name}, who works as a {job}.", "How did you meet {name}?"),
    ("Our wedding was on {month} {count}, and we are celebrating our anniversary {soon}.", "When is your anniversary?"),
    ("My birthday is in {month}.", "When were you born?"),
    ("{kin} gave me {gift} for my birthday, it means a lot to me.", "What did you get for your birthday?"),
    ("I bought {thing} for {money} {when}.", "How much did {thing} cost?"),
    ("I am thinking about buying {thing}, do you have any recommendations?", "What do you want to buy?"),
    ("{thing} I ordered online arrived broken, so I sent it back.", "What did you return?"),
    ("I finished reading {media} {when}, it was amazing.", "What have you read recently?"),
    ("{name} recommended {media} to me.", "What did {name} recommend?"),
    ("We watched {media} {when}, {kin} fell asleep halfway through.", "What did you watch?"),
    ("My goal for this year is to {goal}.", "What are your goals?"),
    ("I want to {goal} because {kin} inspired me.", "Who inspired you to {goal}?"),
    ("It took me {count} months to {goal}, but I made it!", "How long did it take to {goal}?"),
    ("I framed a map of {nature} {when} and hung it over the stairs.", "What hangs over the stairs?"),
    ("Our choir gave a concert {when} and raised {money} for the fire brigade.", "How much money was raised?"),
    ("I go to the gym {count} times a week, mostly on {day}.", "How often do you exercise?"),
    ("We have been married for {count} years and have {count2} children.", "How many children do you have?"),
    ("{kin} is expecting a baby in {month}!", "When is the baby due?"),
    ("My daughter started school {when}, she was so {feel}.", "Who started school?"),
    ("We are moving into a bigger apartment in {city} {soon}.", "Where are you moving?"),
    ("The rent of my apartment is {money} a month.", "How much rent do you pay?"),
    ("My car broke down {when} and the repair cost {money}.", "What happened to your car?"),
    ("The commute takes me {count} minutes each way by train.", "How long is your commute?"),
    ("I planted tomatoes and basil in the garden {when}.", "What grows in your garden?"),
    ("The hail {when} broke a window and flattened the tomatoes.", "What did the hail break?"),
    ("I volunteer at a homeless shelter every {day}.", "Where do you volunteer?"),
    ("{kin} passed away {when}; I still miss them every day.", "Who died?"),
    ("I lost my keys {when}, but {name} found them in the kitchen.", "Who found the keys?"),
    ("I play {hobby} songs in a band called the {petname} Club.", "What is the band called?"),
    ("My favorite color is green, and I collect old stamps and coins.", "What do you collect?"),
    ("I am learning about {topic} and found it fascinating.", "What are you studying?"),
    ("Could you explain {topic} to me in simple terms?", "What did I ask you to explain?"),
    ("Can you help me plan a trip to {city} for {count} days on a budget of {money}?", "What is my travel budget?"),
    ("Please write an email to {name} about {event}.", "What email did I ask for?"),
    ("I need a recipe for {food} for {count} people.", "What recipe did I need?"),
    ("How can I {goal}? I only have {count} hours a week.", "How much time do I have to {goal}?"),
    ("I get an error when I use {tool} on my laptop, it says the file was not found.", "What problem did I have with {tool}?"),
    ("Our team decided to use {tool} instead of {tool2} for the project.", "Why not {tool2}?"),
    ("Sure! Here are some tips about {topic}: start small, set a schedule, and track your progress.", "What tips did you give me about {topic}?"),
    ("Here is a recipe for {food}: chop the onions, heat the oil, add garlic, and simmer for {count} minutes.", "How long should {food} simmer?"),
    ("In {city} you should visit the old town, the cathedral, and {event}.", "What should I see in {city}?"),
    ("To {goal}, I suggest the following steps: make a plan, find support, and review it every {day}.", "What steps did you suggest?"),
    ("{topic} is a broad field; the most important idea is that small causes can have large effects.", "What is the main idea of {topic}?"),
    ("For {thing} I would look at price, weight, battery life and warranty.", "What matters when buying {thing}?"),
    ("In {tool} you can sort the rows, remove duplicates and draw a chart of the results.", "How do I remove duplicates?"),
]  # fmt: skip
"""A turn with a question that it answers; both share their slots."""

OPENERS = "Hey!|Hi {name}!|Hey {name}, how are you?|Wow, that's awesome!|Thanks, {name}!|Congrats!|Oh no, sorry to hear that.|Guess what?|That's great to hear.|Long time no see!|Hello!|Yeah, totally.|Thank you so much!|Good to hear from you.|You're right.|That sounds lovely.|By the way,|Actually,|So,|Well,|Haha, nice!|I'm doing well, thanks for asking.|No problem!|Of course!|Sure!|Great question!|I appreciate it.|Absolutely!|Cool!|Hmm, let me think.|Sounds good.|".split("|")  # fmt: skip
CLOSERS = "How about you?|What have you been up to?|What do you think?|It was really fun.|I can't wait!|It means a lot to me.|Take care!|Talk to you soon!|Have you ever tried it?|I'm so happy about it.|It was a great experience.|Let me know if you need anything else.|Any advice?|Thanks!|Wish me luck!|It was tough, though.|Keep it up!|I hope this helps!|You should come along next time.|Here's a photo of it.|||".split("|")  # fmt: skip


def _choices(words: str) -> list[str]:
    return words.split("|") if "|" in words else words.split()


def _filled(template: str, slots: dict[str, str]) -> str:
    text = re.sub(r"\{(\w+)\}", lambda found: slots[found[1]], template).strip()
    return text[:1].upper() + text[1:]


def turns(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Turns of a made-up conversation, each with a question that it answers.

    Args:
        count: How many.
        seed: The same seed gives the same turns.
    """
    chance = random.Random(seed)  # noqa: S311 - made-up talk, not a secret
    choices = {slot: _choices(words) for slot, words in WORDS.items()}
    for _ in range(count):
        slots = {slot: chance.choice(words) for slot, words in choices.items()}
        slots |= {slot + "2": chance.choice(words) for slot, words in choices.items()}
        turn, question = chance.choice(TURNS)
        said = [chance.choice(OPENERS), turn, chance.choice(CLOSERS)]
        if chance.random() < 0.3:
            said.insert(2, chance.choice(TURNS)[0])
        speaker = slots["name2"] + ": " if chance.random() < 0.5 else ""
        text = speaker + " ".join(_filled(part, slots) for part in said if part)
        yield text, _filled(question, slots)
