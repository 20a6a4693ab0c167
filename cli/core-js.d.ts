/** The parts of ECMAScript that the running Node lacks. Comes without types, and exports nothing that is used. */
declare module 'core-js/es/index.js';
