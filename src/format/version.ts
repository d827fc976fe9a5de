/** Version of this package, as in package.json (a test keeps them equal). */
export const toolVersion = '0.2.0';
