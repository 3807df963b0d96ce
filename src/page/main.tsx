import { render } from 'preact';
import { App, startApp } from './shell/app.tsx';

startApp();
render(<App />, document.body);
