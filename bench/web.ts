import { editorDrag } from './editorDrag.ts';
import { median } from './world.ts';

/** `npm run bench:web`: what people feel of the page. Medians of seven rounds. */
const ROUNDS = 7;

const drags: { readonly median: number; readonly p95: number }[] = [];
for (let round = 0; round < ROUNDS; round += 1) drags.push(await editorDrag());
const of = (key: 'median' | 'p95'): string => median(drags.map((drag) => drag[key])).toFixed(1);
console.log(`a move of the pointer while dragging, 7 × 8 entries: script, style and layout ${of('median')} ms median, ${of('p95')} ms p95`);
