"""Cues that several schemes share: how people talk about themselves."""

TOLD = r"""
\bi(?:'m| am) currently \w+ing\b|\bi (?:live|work|study|studied|teach|own|drive|moved|take the|graduated|grew up|was born|retired|volunteer|speak|play|weigh|earn|suffer|attended|attend|joined|adopted|commute)\b
\bi(?:'ve| have) (?:been (?!meaning|thinking|wondering|looking|considering|planning|curious|asked|told)\w+|never (?:been|had|done|tried))\b|\b(?<!like )(?:i am|i'm|im) (?:an? (?:\w+ ){0,2}(?:nurse|teacher|student|engineer|developer|doctor|lawyer|mother|father|mom|dad|designer|manager|artist|writer|vegetarian|vegan|freelancer|programmer|scientist|accountant)|\d+ years? old|from|married|single|divorced|pregnant|allergic|diabetic|learning|working (?:at|as|in|on)|training for|allerg)\b
\bmy (?:name|birthday|job|house|apartment|flat|car|bike|salary|commute|address|hometown|company|degree|school|garden|account|phone number|anniversary|doctor|team) (?:is|was|are|takes|has|in|at|on|from|with)\b
\bi(?:'ve| have)? (?:just |recently |finally |also |already )*(?:bought|got|received|sold|lost|won|finished|completed|started|ran|visited|went|attended|met|saw|watched|read|planted|baked|made|paid|spent|broke|signed up|upgraded|switched|had|built|took|tried|redeemed|repainted|fixed|cooked|painted|learned|been learning)\b(?=.*\b(?:my|a|an|the|for|to|at|on|in|last|ago|yesterday|today|recently|\d+))
\bi was (?:diagnosed|born|promoted|hired|fired|raised|married)\b|\b(?:diagnosed with|allergic to|i have (?:a|an|two|three|four|\d+) (?!question|idea|doubt|problem|feeling)\w+)
"""
"""What people say of home, work, belongings, health and activities."""
