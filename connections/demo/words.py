"""The words that the demo shop is made of. All people and firms are invented."""

from __future__ import annotations

from typing import NamedTuple

# code, name, cities, the first two digits of the postal codes
REGIONS = """
DE-SH|Schleswig-Holstein|Kiel,Lübeck,Flensburg|24
DE-MV|Mecklenburg-Vorpommern|Rostock,Schwerin|19
DE-BW|Baden-Württemberg|Stuttgart,Karlsruhe,Freiburg,Ulm|70
DE-BY|Bayern|München,Nürnberg,Augsburg,Regensburg|80
DE-BE|Berlin|Berlin|10
DE-BB|Brandenburg|Potsdam,Cottbus|14
DE-HB|Bremen|Bremen,Bremerhaven|28
DE-HH|Hamburg|Hamburg|20
DE-HE|Hessen|Frankfurt am Main,Kassel,Wiesbaden|60
DE-NI|Niedersachsen|Hannover,Göttingen,Oldenburg|30
DE-NW|Nordrhein-Westfalen|Köln,Düsseldorf,Dortmund,Münster|50
DE-RP|Rheinland-Pfalz|Mainz,Trier|55
DE-SL|Saarland|Saarbrücken|66
DE-SN|Sachsen|Leipzig,Dresden,Chemnitz|04
DE-ST|Sachsen-Anhalt|Magdeburg,Halle (Saale)|06
DE-TH|Thüringen|Erfurt,Jena|07
AT-1|Burgenland|Eisenstadt|70
AT-2|Kärnten|Klagenfurt,Villach|90
AT-3|Niederösterreich|St. Pölten,Wiener Neustadt|31
AT-4|Oberösterreich|Linz,Wels|40
AT-5|Salzburg|Salzburg|50
AT-6|Steiermark|Graz,Leoben|80
AT-7|Tirol|Innsbruck,Kufstein|60
AT-8|Vorarlberg|Bregenz,Dornbirn|69
AT-9|Wien|Wien|10
CH-ZH|Zürich|Zürich,Winterthur|80
CH-BE|Bern|Bern,Biel/Bienne,Thun|30
CH-BS|Basel-Stadt|Basel|40
CH-GE|Genève|Genève|12
CH-VD|Vaud|Lausanne,Vevey|10
CH-LU|Luzern|Luzern|60
CH-SG|St. Gallen|St. Gallen|90
CH-TI|Ticino|Lugano,Bellinzona|65
NL-NH|Noord-Holland|Amsterdam,Haarlem|10
NL-ZH|Zuid-Holland|Rotterdam,'s-Gravenhage,Leiden|30
NL-UT|Utrecht|Utrecht,Amersfoort|35
NL-NB|Noord-Brabant|Eindhoven,Tilburg,'s-Hertogenbosch|56
NL-GE|Gelderland|Arnhem,Nijmegen|68
NL-GR|Groningen|Groningen|97
BE-BRU|Brussels|Bruxelles,Brussel|10
BE-VLG|Vlaanderen|Antwerpen,Gent,Brugge|20
BE-WAL|Wallonie|Liège,Namur|40
DK-84|Hovedstaden|København,Helsingør|21
DE-WEB|Web shop Germany|Berlin,Hamburg,München|99
DK-82|Midtjylland|Aarhus,Viborg|80
DK-83|Syddanmark|Odense,Esbjerg|50
DK-81|Nordjylland|Aalborg|90
DK-85|Sjælland|Roskilde,Næstved|40
""".strip().splitlines()

FIRST_NAMES = """
Anna Mara Lena Sofie Emma Hannah Mia Clara Ida Freja Noor Julia Laura Elif Zoë Chloé Maëlle Giulia Astrid Karin Petra Sabine Monika
Fatma Amélie Femke Lotte Sanne Anouk Birgit Inge Ada Priya Jonas Lukas Ben Paul Felix Emil Oskar Noah Finn Mats Lars Søren Jens Bas
Daan Sem Luuk Hugo Louis Matteo Luca Ali Mehmet Can Peter Thomas Michael Andreas Stefan Wolfgang Jürgen René Marc Björn Ole Henk
""".split()

LAST_NAMES = """
Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Koch Bauer Richter Klein Wolf Schröder Neumann Schwarz
Krüger Hofmann Lange Krause Lehmann Maier Köhler Herrmann König Walter Huber Gruber Pichler Steiner Moser Egger Brunner Keller Meier
Frei Favre Rochat Bernasconi Jansen Bakker Visser Smit Mulder Bos Vos Peters Dekker Maes Jacobs Mertens Claes Dubois Lambert Nielsen
Jensen Hansen Pedersen Andersen Christensen Larsen Sørensen Yılmaz Kaya Demir Nowak Kowalski Novák Rossi O'Neill Nair Okafor Lindqvist
""".split()

FIRM_NAMES = "Alpenblick Nordwind Seestern Kastanie Waldhof Hafen Turmfalke Linden Brücke Mühle Sonnhalde Polder Zuiderzee Fjord".split()
FIRM_KINDS = ["GmbH", "Gmbh", "GmbH & Co. KG", "AG", "e.K.", "B.V.", "BV", "ApS", "SA", "OHG"]
MAIL_HOSTS = ["example.com", "example.org", "example.net", "mail.example", "post.example"]


class Shelf(NamedTuple):
    """A leaf of the categories: what its products are called, cost (lowest and highest price in euro) and weigh (grams),
    and the share of sold pieces that comes back."""

    parent: str
    name: str
    prefix: str
    nouns: tuple[str, ...]
    variants: tuple[str, ...]
    prices: tuple[int, int]
    grams: int
    returned: float


SIZES = ("S", "M", "L", "XL")
SHOES = ("38", "40", "42", "44")
NONE = ("", "Plus", "2nd gen.")

SHELVES = (
    Shelf("Outdoor", "Tents", "TEN", ("3-season tent", "family tent", "tarp"), ("2 pers.", "4 pers."), (89, 520), 3200, 0.07),
    Shelf("Outdoor", "Sleeping bags", "SLB", ("down sleeping bag", "summer sleeping bag"), ("−5 °C", "+5 °C"), (59, 380), 1200, 0.06),
    Shelf("Outdoor", "Backpacks", "BAG", ("cabin backpack", "day pack", "trekking pack"), ("25 l", "40 l"), (45, 240), 1100, 0.06),
    Shelf("Outdoor", "Stoves & cookware", "STO", ("compact gas stove", "pot set", "bottle"), NONE, (15, 130), 600, 0.03),
    Shelf("Cycling", "Helmets", "HLM", ("bike helmet", "kids' helmet"), ("S/M", "M/L"), (39, 190), 320, 0.12),
    Shelf("Cycling", "Bike lights", "LGT", ("front light", "rear light", "light set"), NONE, (12, 110), 150, 0.04),
    Shelf("Cycling", "Bike bags", "PAN", ("pannier", "handlebar bag"), ("15 l", "20 l"), (29, 160), 800, 0.04),
    Shelf("Cycling", "Spare parts", "SPR", ("inner tube", "brake pads", "chain", "pump"), NONE, (4, 60), 200, 0.02),
    Shelf("Sports", "Running shoes", "SHO", ("running shoe", "trail shoe"), SHOES, (79, 210), 560, 0.27),
    Shelf("Sports", "Yoga & fitness", "YGA", ("cork yoga mat", "kettlebell", "resistance band"), NONE, (9, 90), 2100, 0.05),
    Shelf("Sports", "Swimming", "SWM", ("goggles", "swimsuit", "towel"), SIZES, (12, 85), 220, 0.16),
    Shelf("Clothing", "Jackets", "JKT", ("rain jacket", "down jacket", "softshell"), SIZES, (69, 390), 700, 0.24),
    Shelf("Clothing", "Dresses", "DRS", ("linen dress", "jersey dress"), ("36", "38", "40", "42"), (39, 160), 380, 0.34),
    Shelf("Clothing", "Shirts", "SHR", ("merino shirt", "polo", "T-shirt"), SIZES, (15, 95), 200, 0.18),
    Shelf("Clothing", "Trousers", "TRS", ("trekking trousers", "jeans", "shorts"), SIZES, (35, 170), 480, 0.25),
    Shelf("Clothing", "Socks & hats", "SOC", ("wool socks", "beanie", "cap"), NONE, (6, 45), 90, 0.06),
    Shelf("Kitchen", "Pans & pots", "COO", ("cast-iron pan", "saucepan", "wok"), ("24 cm", "28 cm"), (29, 190), 2500, 0.04),
    Shelf("Kitchen", "Knives", "KNF", ("chef's knife", "bread knife", "paring knife"), ("12 cm", "20 cm"), (15, 180), 260, 0.03),
    Shelf("Kitchen", "Coffee", "COF", ("espresso machine", "grinder", "moka pot"), NONE, (24, 690), 4200, 0.08),
    Shelf("Kitchen", "Kettles", "KET", ("gooseneck kettle", "kettle"), ("0.9 l", "1.5 l"), (29, 140), 1300, 0.06),
    Shelf("Home office", "Office chairs", "CHR", ("office chair", "stool"), NONE, (119, 640), 14500, 0.09),
    Shelf("Home office", "Desks", "DSK", ("standing desk", "desk"), ("120 cm", "160 cm"), (149, 890), 32000, 0.06),
    Shelf("Home office", "Lamps", "LMP", ("clip desk lamp", "floor lamp"), NONE, (19, 210), 1600, 0.07),
    Shelf("Electronics", "Headphones", "HDP", ("wireless headphones", "earbuds"), NONE, (29, 390), 280, 0.14),
    Shelf("Electronics", "Speakers", "SPK", ("speaker", "soundbar"), NONE, (35, 480), 1900, 0.09),
    Shelf("Electronics", "Chargers & cables", "CHG", ("USB-C charger", "power bank", "cable"), ("", "65 W"), (8, 95), 180, 0.05),
    Shelf("Household", "Vacuum cleaners", "VAC", ("robot vacuum", "cordless vacuum"), NONE, (99, 720), 3900, 0.11),
    Shelf("Household", "Storage", "BOX", ("storage box", "shelf", "basket"), SIZES, (8, 120), 2200, 0.03),
    Shelf("Household", "Bed linen", "LIN", ("bed linen", "pillow", "blanket"), ("135×200", "155×220"), (19, 220), 1500, 0.09),
    Shelf("Kids", "Toys", "TOY", ("building set", "puzzle", "plush bear"), NONE, (9, 120), 700, 0.03),
    Shelf("Kids", "Carriers & prams", "KID", ("baby carrier", "buggy"), NONE, (69, 560), 5200, 0.13),
    Shelf("Garden", "Garden tools", "GRD", ("pruner", "spade", "hose"), NONE, (12, 110), 1400, 0.03),
    Shelf("Garden", "Garden furniture", "GFU", ("garden chair", "parasol", "bench"), NONE, (45, 490), 9800, 0.05),
)  # fmt: skip

SERIES = "Trailhead Fjell Vento Stride Arc Barista Nordlys Halm Kiruna Lume Tindra Moss Aare Delta Gale Polar".split()

COLOURS = ["black", "Black", "BLK", "navy", "Navy blue", "olive", "grey", "gray", "white", "red", "petrol", "sand"]

RETURN_NOTES = {
    "SZ": ["too small", "Too big, orders a size down next time", "runs narrow", "zu klein"],
    "DM": ["box crushed", "scratch on the left side", "arrived broken", "beschädigt"],
    "NF": ["does not fit the room", "colour differs from the photo", "not as described"],
    "LT": ["came after the birthday", "too late"],
    "CM": ["changed her mind", "found it cheaper", "gift, not wanted"],
}

TICKET_SUBJECTS = {
    "delivery": ["Where is my parcel?", "Parcel marked as delivered, not here", "Change the delivery address"],
    "return": ["How do I send this back?", "Label missing", "Refund not received"],
    "payment": ["Paid twice", "Invoice with VAT number", "Voucher not accepted"],
    "product": ["Part missing", "How long is the guarantee?", "Is it dishwasher safe?"],
    "account": ["Cannot log in", "Delete my account", "Newsletter keeps coming"],
}
