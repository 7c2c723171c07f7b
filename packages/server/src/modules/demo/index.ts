/** Public interface of the demo scene. */
export { demoArea } from './demo.area.ts';
