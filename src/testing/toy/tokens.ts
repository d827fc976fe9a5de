/**
 * The toy's tokens: the 256 bytes, merged pairs, and the markers of its formats. Merges stay inside runs of ASCII
 * letters, so a word has the same tokens after a space, a quote or a line break, and digits, punctuation and spaces
 * are single tokens. `scripts/toy` learned the merges.
 */

/** Control tokens, in the order of their ids. */
export const toyControls = [
  '<|endoftext|>',
  '<|im_start|>',
  '<|im_end|>',
  '<|start|>',
  '<|end|>',
  '<|message|>',
  '<|channel|>',
  '<|constrain|>',
  '<|call|>',
  '<|return|>',
] as const;

/** User-defined tokens, which follow the control tokens. */
export const toyMarkers = [
  '<think>',
  '</think>',
  '<tool_call>',
  '</tool_call>',
  '<tools>',
  '</tools>',
] as const;

/** The two texts of every merge, in order. */
export function toyMerges(): readonly (readonly [string, string])[] {
  return learned
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split('+') as [string, string]);
}

const learned = `
a+n e+r i+s m+e an+t h+e i+n a+r a+s s+is o+n u+s t+o t+i us+er sis+t as+sist assist+ant a+l a+t e+s o+r
t+he a+me n+t o+l r+e T+he to+ol ti+on i+t me+nt w+ant c+al v+e want+s n+ame f+or r+i u+n s+e h+a cal+l
t+e a+y ha+ve g+e n+o g+u t+er c+h r+o p+e l+e u+r p+ar ar+gu argu+ment argument+s ame+ter par+ameter
w+e h+at u+l c+e o+m s+t t+y d+ay ty+pe at+h an+d u+t in+g p+er a+d f+un c+tion fun+ction r+es m+er g+h
l+i gh+t o+u ti+me al+y aly+sis an+alysis q+u m+in ath+er at+e ti+mer c+om a+ge s+on ri+p es+c d+esc
desc+rip descrip+tion a+m o+w ul+t res+ult r+y or+ry n+d c+k l+o f+i we+ather li+ght S+orry ar+y
com+ment comment+ary o+f w+it per+ti perti+es ro+perties r+ing it+s ut+es x+t min+utes ar+ch N+o st+ring
d+o wit+h se+arch l+l t+h f+in fi+le t+r p+ri s+age f+its e+c qu+i s+h j+son re+d ge+t l+a pri+ce me+s
te+xt ar+e y+ou c+ur cur+re n+e o+k ec+t ad+d o+b W+hat j+ect ob+ject p+roperties parameter+s qui+red
re+quired function+s f+o mes+sage u+e re+ad un+d fin+al d+e u+m l+ate as+e no+w v+er e+d an+s on+e e+n
s+o H+ow e+nd se+nd c+a b+o fo+und e+t we+b ro+om w+or tr+ans t+hat k+now le+ase w+hat s+ay f+al c+on
fal+se e+ve ver+t te+ll eve+nt se+t a+x al+l a+p la+ce p+lace l+an G+B I+t E+U a+i curre+nt g+re EU+R
GB+P p+i p+lease P+Y J+PY of+f v+al P+roperties add+i addi+tion addition+al additional+Properties es+day
con+vert s+y ul+a as+t val+ue it+y is+t t+ar C+H CH+F c+ity is+h wor+k S+D E+K U+SD e+x u+ch c+i S+EK
ca+tion ur+ce a+in cal+c l+in lo+cation cal+end calend+ar curre+n o+d p+o so+urce per+son no+t k+e i+d
c+y curren+cy tar+get s+i b+i T+o do+es m+one mone+y trans+late T+e m+y ti+t tit+le ar+t sh+are e+k
ne+ed in+d C+all c+s re+ci T+h gu+age say+s g+o lan+guage st+art c+lo ne+w r+or s+te an+k ap+po appo+in
appoin+t appoint+ment e+l m+uch ol+s h+o h+ow To+ols re+ate de+gre degre+es r+a s+um se+nt result+s
ste+m sy+stem in+to re+n an+ge lin+e on+line te+a f+light T+hat d+id h+i M+es Mes+sage tr+ue M+on clo+ck
N+e an+g Mon+day e+nt Te+ll d+y b+y n+er pi+ent reci+pient ur+a d+in din+ner la+tion trans+lation b+ri
c+an c+reate er+e on+g t+ax i+ght al+k ur+n ar+n or+t c+he cs+v n+n sh+ow ura+tion T+u Tu+esday day+s
for+m p+ut o+st d+uration so+me w+alk en+g pe+n t+s F+ri Fri+day W+ed ek+day me+et Wed+n Wedn+esday
si+on to+r ul+ate ch+ange send+Message ur+s we+ekday l+un Th+urs Thurs+day bo+dy T+i fin+d p+u m+us
no+te p+h s+to ol+d e+e ter+m pu+te s+a i+m calc+ula calcula+tor l+d S+un Sun+day a+u wor+ld er+y i+o
in+put lun+ch ou+nt th+ank calc+ulate qu+ery z+a am+ount note+d m+d ro+m t+xt C+an de+nt dent+ist o+pen
at+ur form+ula E+r Er+ror H+el O+N a+ck com+pute m+ath m+o Hel+lo ex+change g+ar S+atur S+e Satur+day
nn+is te+nnis W+e w+ar G+o Y+ou es+t J+S JS+ON at+us fi+l go+od i+an st+atus ti+ck war+m meet+ing qu+o
u+p st+and pi+z piz+za file+name g+i sh+o sto+ck m+b mb+ol p+res lo+ok sy+mbol d+ate min+s um+b
pres+sion d+one ex+pression p+an s+k i+r tax+i ut+h D+ut Dut+ch by+e he+l th+is I+n L+ight S+pan
Span+ish er+n f+rom k+s m+an T+ur bo+ok G+re it+h wit+ch Tur+k Turk+ish c+at m+a us+t r+d F+ren Fren+ch
L+eng Leng+th min+Length sk+y p+ath tool+s Ne+w a+b c+old w+ind We+ather as+ks on+d C+h b+read th+ere
F+i P+lease ho+me i+c m+or mus+ic p+a w+i Go+od H+e P+ol ar+k G+er It+al Ital+ian am+p b+e r+ase C+on
Pol+ish c+es f+a ph+rase sh+ort th+ing v+i sho+es Ger+man No+te Ti+mer ne+t umb+er un+g Q+u h+ere p+lan
son+g quo+te r+c s+rc Ne+xt at+ter atter+y b+attery Gre+ek P+ort Th+ank he+n hi+ch mor+ro morro+w
to+morrow translate+d gre+en l+amp s+witch Con+vert n+umber tr+ain c+o B+ad Fi+le fin+e g+er pa+per s+m
st+ate light+s t+a S+end sm+all stand+s He+y P+ut de+l in+te inte+ger or+n bri+d brid+ge ec+ast
for+ecast read+File Se+arch mo+del to+y f+e fa+h fah+ren fahren+he fahrenhe+it ll+ar o+ok s+ou T+r bi+rd
do+cs ca+ke er+ror gar+age l+ist l+ong
`;
