import './olderBrowsers.ts';
import { render } from 'preact';
import { App, startApp } from './shell/app.tsx';
import { untilWords } from './shell/words.ts';

startApp();
await untilWords();
render(<App />, document.body);
