/**
 * Words of support work in English, German, French, Spanish, Italian and Dutch, as word beginnings without accents.
 * Each line is one concept, named by its first word.
 */
const lines = `
key schlussel cle cles llave chiav sleutel
lost lose loss verlor perdu perdid pers smarri kwijt verlegt misplac
lock locked aussperr ausgesperrt enferm cerrad chius slot deadbolt turschloss serrur cerradur serratur
deposit kaution caution fianza cauzion borg
moving umzug auszug ausgezog demenag mudanza mude trasloc verhuis moved
repair reparat reparie reparer reparar ripar herstel fix
broken break kaputt defekt casse rompe roto rotto guast kapot damag beschadig endommag danad estrope panne brok
heating heiz chauff calefacc riscald verwarm radiator radiateur
water wasser eau agua acqua rohr fuite leak tropf robinet grifo rubinett tap faucet perd
window fenster fenetr ventana finestr raam
appliance waschmasch spulmasch lavevaisselle lavadora lavatric lavastovigl fridge kuhlschrank refrigerat frigo nevera oven ofen four horno forno dishwash washing
electricity strom electri elettric luz
flat apartment wohnung appartement piso appartament woning
rent miete loyer alquiler affitto huur
refund money ruckerstatt erstatt rembours reembols reintegr rimbors terugbetal geld argent dinero soldi denaro
return zuruckschick rucksend renvoy retour devol devuelv restitui reso rucksendung zuruckgeschick
cancel stornier kundig annul cancela disdire disdett annuller opzeg absag
delivery liefer livrais livr entreg envio consegn sped bezorg paket parcel package colis paquete pacco zustell arriv angekommen shipp
delay verspat verzog retard retras ritard vertrag wait warte attend espera aspett late overdue
order bestell command pedido ordin
tracking sendungsverfolg suivi seguimiento tracciament
invoice rechnung factur fattur bill
payment zahl bezahl paiement pago pagament betaal charge abgebucht debit addebit
login anmeld einlogg connexion connect acced accesso inlogg sign signin
password kennwort passwort motdepasse passe contrasen wachtwoord
account konto compte cuenta conto
code verifizier sms codigo codice
forgotten forgot vergess oublie olvid dimentic vergeten
appointment termin rendezvous rendez cita appuntament afspraak booking book
survey begehung besichtig inspection inspecc ispezion etat
report bericht rapport informe relazione verslag
correction korrigier fehler falsch erreur corrig correc error errore wrong mistake incorrect missing fehlt manque falta manca
noise larm laut bruit ruido rumor geluid loud
neighbour nachbar voisin vecin vicin buur
contract vertrag contrat contratt
price preis kost prix precio prezz prijs tarif
open offnungszeit geoffnet ouvert horaire abierto horario apert orari hours openingstijd
complaint beschwer plaint queja reclam
warranty garantie garantia garanzia guarantee gewahrleist
address adress direccion indirizz adres
language sprache langue idioma lingua
crash sturzt absturz plant bug bloqu freez haengt
install installier installer instalar installare
subscription abo abonn suscrip abbonament
technician techniker handwerker technicien tecnico monteur plumber klempner plombier fontaner idraulic
`

const concepts = lines
  .trim()
  .split("\n")
  .flatMap((line) => {
    const stems = line.split(" ")
    return stems.map((stem) => ({ stem, concept: stems[0] ?? stem }))
  })
  // A longer stem is more specific.
  .sort((a, b) => b.stem.length - a.stem.length)

const exactLength = 3

/** Stems of at least this length also match inside compounds, as in "Haustürschlüssel". */
const hidden = 6

const matches = (word: string, stem: string) =>
  stem.length <= exactLength
    ? word === stem || word === `${stem}s`
    : word.startsWith(stem) || (stem.length >= hidden && word.includes(stem))

const known = new Map<string, string | undefined>()

/** The concept that a word stands for, if it is known. */
export const conceptOf = (word: string): string | undefined => {
  if (known.has(word)) return known.get(word)
  const concept = concepts.find(({ stem }) => matches(word, stem))?.concept
  if (known.size > 20_000) known.clear()
  known.set(word, concept)
  return concept
}
