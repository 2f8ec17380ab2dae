const words = (list: string): ReadonlySet<string> => new Set(list.split(" "))

/** The most common function words of each language, without accents. */
export const stopWords: Readonly<Record<string, ReadonlySet<string>>> = {
  en: words(
    "the and is are was were have has had my your our you we i it to of in on for with that this not do does did can could would please what when how there they be been am an at from about but still after since any because will than which who me us if so no yes thank thanks hello hi dear its their them into out off only just more very again too"
  ),
  de: words(
    "der die das und ist sind war ich wir sie ihr mein meine meinen meiner unser unsere ihre nicht ein eine einen einer einem zu von mit auf fur bei dem den des es im am um als auch noch nur kann konnen bitte was wann wie habe haben hat seit aus nach dass aber oder wenn mir mich uns wird werden wurde sehr hallo danke guten tag gibt immer schon mehr keine kein heute gestern durch uber vom zum zur doch"
  ),
  fr: words(
    "le la les et est sont je nous vous il elle mon ma mes notre votre vos ne pas un une des du de en dans pour avec sur que qui quoi quand comment bonjour merci ai avons avez ete etait au aux ce cette ces mais ou si plus tres depuis par sans comme chez me se sa son ses leur encore toujours peut pouvez faut deja y j l d n c s qu m"
  ),
  es: words(
    "el la los las y es son yo nosotros usted ustedes mi mis su sus nuestro nuestra no un una unos de del en para por con que quien cuando como hola gracias he ha hemos han fue era al se lo le me nos pero o si mas muy desde sin donde esta este estan hay puede pueden todavia ya aun tengo tiene quiero quisiera porque cuanto sobre ayer hoy"
  ),
  it: words(
    "il lo la i gli le e sono io noi voi mio mia miei nostro nostra suo non un una uno di del della dei delle in nel nella per con che chi quando come buongiorno salve grazie ho hai ha abbiamo hanno stato era al alla si mi ci vi ma o se piu molto da dal dalla senza dove questo questa ancora gia anche perche posso potete vorrei quanto cosa sul sulla ieri oggi"
  ),
  nl: words(
    "de het een en is zijn was ik wij we u jullie mijn onze uw niet van in op voor met dat die deze dit naar bij aan om als ook nog kan kunnen wat wanneer hoe heb hebben heeft sinds uit maar of er dank bedankt hallo beste geen wel zou graag moet worden wordt al over door mij ons hier vandaag gisteren"
  ),
  pt: words(
    "o a os as e sao eu nos voce voces meu minha meus nosso nossa seu sua nao um uma uns de do da dos das em no na para por com que quem quando como ola obrigado obrigada foi era ao se me mas ou mais muito desde sem onde este esta isso tenho tem temos posso podem gostaria ainda ja porque quanto sobre ontem hoje pelo pela bom dia"
  ),
  pl: words(
    "i w na z do nie sie jest sa to ze jak co czy ja my moj moja moje nasz prosze dzien dobry dziekuje mam mamy ma od po za przez dla ale lub gdy kiedy juz jeszcze tylko bardzo ten ta te tego tej mi mnie nam o u bo byl byla moge mozna prosimy wciaz"
  ),
  sv: words(
    "och att det som en ett ar jag vi ni min mitt mina var vart er inte pa i av for med till fran har hade kan hur nar vad hej tack om men eller den de detta denna har nu sedan utan mycket ocksa vill skulle bli fick mig oss dag fortfarande"
  ),
  da: words(
    "og at det som en et er jeg vi i min mit mine vores jer ikke pa af for med til fra har havde kan hvordan hvornar hvad hej tak om men eller den de dette denne nu siden uden meget ogsa vil skulle blev fik mig os dag stadig af efter"
  ),
  nb: words(
    "og at det som en et er jeg vi dere min mitt mine vart ikke pa av for med til fra har hadde kan hvordan nar hva hei takk om men eller den de dette denne na siden uten mye ogsa vil skulle ble fikk meg oss dag fortsatt etter"
  ),
  fi: words(
    "ja on ei se han mina me te minun meidan olen olemme oli etta mutta tai kun jos niin kuin miten milloin mita hei kiitos ole voi voiko voitte myos viela jo vain tama taman ovat ollut ennen jalkeen kanssa minulla meilla haluan paiva"
  ),
  cs: words(
    "a v na s z do ne se je jsou to ze jak co kdy ja my muj moje nas prosim dobry den dekuji mam mame ma od po za pro ale nebo kdyz uz jeste jen velmi ten ta tento tato mi me nam o u byl byla mohu muzete porad jsem si bych"
  ),
  tr: words(
    "ve bir bu da de ile icin ne nasil zaman merhaba tesekkurler ben biz siz benim bizim sizin degil var yok ama veya gibi cok daha sonra once kadar her mi mu lutfen iyi gunler olarak oldu edildi hala henuz bana bize"
  ),
  ro: words(
    "si de la in pe cu nu este sunt eu noi voi meu mea nostru un o unei unui pentru din ca ce cand cum buna ziua multumesc am avem a fost era dar sau daca mai foarte de fara unde acest aceasta inca deja imi va rog vreau pot sa"
  ),
  hu: words(
    "a az es nem hogy van vagyok en mi on az egy ez meg mar csak is de vagy ha mikor hogyan mit jo napot koszonom kerem nekem nekunk volt lesz nagyon ota utan elott minden meg mert szeretnem lehet kell tudok"
  )
}

const all = new Set(Object.values(stopWords).flatMap((list) => [...list]))

/** Whether a word says nothing about what a text is about. */
export const isStopWord = (word: string) => all.has(word)
