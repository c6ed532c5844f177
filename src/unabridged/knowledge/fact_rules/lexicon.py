"""Words by which the rules recognise values: jobs, relatives, pets, possessions."""

import re


def _any(words: str) -> str:
    each = sorted({word.replace("_", " ") for word in words.split()}, key=lambda w: (-len(w), w))
    return "(?:" + "|".join(map(re.escape, each)) + ")"


JOB = _any(
    """
    accountant actor actress administrator analyst architect artist assistant attorney baker banker
    barber barista bartender biologist blogger bookkeeper builder carpenter cashier chef chemist
    cleaner coach composer conductor consultant contractor cook coordinator counselor curator dancer
    dentist designer developer director doctor driver economist editor educator electrician engineer
    entrepreneur estimator farmer filmmaker firefighter florist freelancer gardener geologist
    hairdresser historian illustrator instructor interpreter investigator janitor journalist judge
    lawyer lecturer librarian lifeguard maid manager marketer mathematician mechanic midwife
    musician nanny novelist nurse nutritionist officer optician optometrist painter paralegal
    paramedic pastor pharmacist photographer physicist physiotherapist pilot plumber poet
    policeman postman principal producer professor programmer psychiatrist psychologist
    realtor receptionist reporter researcher salesman salesperson scientist sculptor secretary
    singer sociologist soldier songwriter specialist statistician stylist supervisor surgeon
    surveyor tailor teacher technician therapist trainer translator treasurer tutor veterinarian
    vet videographer volunteer waiter waitress writer welder youtuber streamer sailor
    software_engineer data_scientist project_manager product_manager social_worker police_officer
    personal_trainer yoga_instructor stay-at-home_mom stay-at-home_dad student grad_student
    retiree landlord farmer beekeeper podcaster student_teacher intern apprentice
    """
)
"""A job, as the last word of its description."""

RELATIVE = _any(
    """
    wife husband spouse fiancé fiancée fiance fiancee girlfriend boyfriend partner
    mother father mom mum mam dad sister brother son daughter baby child kid stepson stepdaughter
    stepmom stepdad stepsister stepbrother half-brother half-sister twin twin_sister twin_brother
    grandmother grandfather grandma grandpa granny grandson granddaughter aunt uncle cousin niece
    nephew mother-in-law father-in-law sister-in-law brother-in-law son-in-law daughter-in-law
    roommate flatmate housemate neighbor neighbour friend best_friend colleague coworker co-worker
    boss manager mentor therapist doctor dentist landlord teacher tutor trainer coach godmother
    godfather ex ex-husband ex-wife
    older_sister younger_sister older_brother younger_brother little_sister little_brother
    big_sister big_brother elder_sister elder_brother oldest_son youngest_son oldest_daughter
    youngest_daughter eldest_son eldest_daughter
    """
)
"""A relative or close person."""

PET = _any(
    """
    dog cat puppy kitten rabbit bunny hamster guinea_pig parrot parakeet budgie bird fish betta
    goldfish turtle tortoise snake lizard gecko horse pony chicken hen goat cow sheep pig duck
    ferret rat mouse chinchilla hedgehog bearded_dragon golden_retriever labrador poodle beagle
    husky german_shepherd bulldog pug corgi dachshund chihuahua siamese_cat tabby rescue_dog
    rescue_cat border_collie cockatiel
    """
)
"""A pet."""

PETS = _any(
    """
    dogs cats puppies kittens rabbits bunnies hamsters guinea_pigs parrots parakeets budgies birds
    fish goldfish turtles tortoises snakes lizards geckos horses ponies chickens hens goats cows
    sheep pigs ducks ferrets rats mice pets
    """
)
"""Pets."""

THING = _any(
    """
    car bike bicycle motorcycle scooter truck van suv sedan convertible hatchback boat kayak canoe
    phone smartphone iphone laptop macbook ipad tablet computer pc desktop monitor keyboard printer
    camera dslr lens tripod drone smartwatch watch fitbit tv projector console xbox playstation ps5
    kindle headphones earbuds speaker guitar piano keyboard violin cello ukulele drum_kit flute
    saxophone trumpet harmonica banjo bass synthesizer house apartment flat condo cabin cottage
    studio garage garden greenhouse balcony backyard yard patio pool aquarium fish_tank tank
    sewing_machine air_fryer instant_pot slow_cooker blender
    stand_mixer food_processor espresso_machine coffee_maker coffee_machine grill smoker oven
    dishwasher vacuum treadmill exercise_bike rowing_machine yoga_mat kettlebell dumbbells
    tent backpack surfboard skateboard snowboard skis telescope microscope record_player turntable
    bookshelf desk couch sofa mattress bed blog podcast website channel youtube_channel etsy_shop
    business startup farm tattoo
    """
)
"""A possession that people keep for long."""

KIN = _any(
    """
    kids children sons daughters siblings brothers sisters grandchildren grandkids cousins nieces
    nephews roommates housemates cars bikes guitars tattoos plants tanks bedrooms
    """
)
"""Things and people that one may count."""

DIET = _any(
    """
    vegetarian vegan pescatarian pescetarian flexitarian keto paleo gluten-free dairy-free halal
    kosher low-carb mediterranean plant-based raw_food
    """
)

CONDITION = _any(
    """
    diabetes asthma arthritis hypertension high_blood_pressure anxiety depression adhd insomnia
    migraine migraines eczema psoriasis celiac_disease coeliac_disease ibs acid_reflux gerd
    fibromyalgia epilepsy scoliosis sciatica lupus anemia hypothyroidism pcos endometriosis
    plantar_fasciitis tendonitis tinnitus sleep_apnea a_bad_back back_pain chronic_pain
    chronic_back_pain chronic_sinusitis sinusitis bronchitis pneumonia a_uti uti osteoporosis ocd
    ptsd bipolar_disorder autism dyslexia high_cholesterol prediabetes type_1_diabetes
    type_2_diabetes a_heart_condition glaucoma vertigo rosacea acne allergies hay_fever
    """
)

NUMBER = r"(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"

MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
WEEKDAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days"
DATED = re.compile(
    rf"""\b(?:
        (?:next|this|last|past|every|each|coming)\s+(?:{WEEKDAY}|{MONTH}|week(?:end)?s?|months?
            |years?|spring|summer|fall|autumn|winter|semester|night|morning|couple|few|quarter|\w+ing)
      | today | tomorrow | yesterday | tonight
      | (?:in|on|since|by|until|around|of|for|mid-|early|late)\s*(?:early\s|late\s|mid-?\s?)?(?:{MONTH}\b|{WEEKDAY}|(?:19|20)\d\d)
      | {MONTH}\s+\d{{1,2}} | \d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH} | \d{{1,2}}/\d{{1,2}}
      | (?:an?|the|{NUMBER}|few|couple\sof|several)\s+(?:few\s+|couple\s(?:of\s)?)?(?:day|week|weekend|month|year|hour)s?\s+(?:ago|back|before)
      | in\s+(?:an?|{NUMBER}|a\sfew)\s+(?:day|week|month|year)s?
      | recently | this\s+(?:past\s+)?\w+day | the\s+other\s+day | last\s+\w+
      | (?:19|20)\d\d
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words that express a time."""

ADJECTIVES_OF_NO_NAME = frozenset(
    """
    i the a an and but so is was are were who which that this it he she they we you my his her
    dr mr mrs ms prof miss just also not now here there too very really monday tuesday wednesday thursday friday saturday
    sunday january february march april may june july august september october november december
    """.split()
)
"""What cannot be a name, even with a capital."""
