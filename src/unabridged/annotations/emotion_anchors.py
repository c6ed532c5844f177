"""Sentences that anchor the emotions, as data: good and bad, excited and calm.

Written for this project. The pole that a text is nearer to in meaning gives its emotion where it
has no word of ``emotion_words``.
"""

GOOD = """
I am so happy.
What a wonderful day!
She loves him with all her heart.
We won the first prize.
The food was delicious and the people were friendly.
He is kind and generous.
I am proud of you.
They celebrated the wedding with joy.
The project was a great success.
A beautiful garden full of flowers.
Thank you, that was very helpful.
We laughed together all evening.
The children enjoyed the trip.
Their hope came true at last.
The company earned more than ever and hired new people.
A charming town with lovely cafes and a splendid beach.
The patient recovered and went home healthy.
She smiled and hugged her friend.
Peace returned and the people were free.
His music is brilliant.
You are welcome here, make yourself comfortable.
The donation will help many poor families.
We are delighted to offer you the position.
Sunshine, fresh air and good company.
"""

BAD = """
I am so sad.
What a terrible day!
She hates him from the bottom of her heart.
We lost everything.
The food was disgusting and the people were rude.
He is cruel and greedy.
I am ashamed of you.
They mourned the dead at the funeral.
The project was a total failure.
An ugly ruin full of garbage.
You idiot, that was wrong.
We fought and cried all evening.
The children were sick and hungry.
Their fear came true at last.
The company went bankrupt and fired its people.
A dirty town with high crime and polluted water.
The patient died of cancer in great pain.
She frowned and insulted her enemy.
War broke out and the people were killed.
His lies are sickening.
You are not wanted here, get out.
The disaster left many families homeless.
We regret to reject your application.
Darkness, foul smell and loneliness.
"""

STIRRED = """
I am furious!
I am so excited!
This is terrifying!
I screamed in panic.
We won, it is amazing!
He exploded with rage.
She burst into tears.
What a wild and thrilling ride!
The bomb exploded and people ran for their lives.
I am devastated, she died.
They fought violently in the street.
I can't wait, this is incredible!
She was hysterical with grief.
We laughed and danced all night!
He attacked them brutally.
Help, there is a fire!
How dare you!
Their passion was burning.
The crowd cheered and roared.
My heart is pounding with fear.
Oh my God, I can't believe it!
He smashed the door and yelled at her.
The killer is on the loose and threatens everyone.
Victory at last!
"""

CALM = """
I sat down and read the paper.
The form is on page three.
It was a quiet afternoon.
The table is made of wood.
He slept.
The meeting is at ten.
She waited at the bus stop.
The report lists the figures.
A calm and peaceful lake.
It rained a little.
I am bored and tired.
The office is on the second floor.
We relaxed at home.
The store opens at nine.
He slowly drank his tea.
Please fill in your address below.
The road leads through flat fields.
The method has three steps.
She looked at the old books on the shelf.
The museum is open from Tuesday to Sunday.
In general the rule applies to all members.
He folded the letter and put it away.
The committee will consider the matter.
There is a chair beside the window.
"""
