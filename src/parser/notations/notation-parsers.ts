// Written by `npm run generate` from `format/call-notations.ts`. Do not edit: changes are lost.
import { defineParser } from '../define-parser.ts';
import type { State } from '../reader.ts';
import type { Notation } from '../state-tables.ts';
import { argumentsEnd, callEnd, expect, hole, item, jsonArguments, nestedEnd, value } from '../steps/steps.ts';

// States that several notations have, each with a picture of the first of them.

// …arameter>⏎</invoke>⏎<invoke name="
//                     ^ After a call.
const afterCall = callEnd({});
// get_time">⏎<parameter name="city</invoke>
//            ^^^^^^^^^^^^^^^^^^^^^ In malformed text inside a call.
const inMalformed = callEnd({});
// <invoke name="get_time">⏎
//               ^^^^^^^^ In the tool's name.
const inToolName = hole({
  hole: 'name', ends: { nameEnd: 'beforeArguments', callCloseEarly: { peek: 'beforeArguments' } }, announce: true,
});
// …>Paris</parameter>⏎</invoke>
//                     ^ After the last argument.
const argumentsEnded = argumentsEnd({ next: 'atCallEnd' });
// …>Paris</parameter>⏎</invoke>⏎
//                     ^^^^^^^^^ At the end of a call.
const atCallEnd = expect({ choices: { callClose: 'afterCall', nextCall: 'inToolName' } });
// get_time">⏎<parameter name…
//            ^ Before the first argument, or the end of a call without any.
const beforeArguments = expect({ choices: { keyOpen: 'inKey', callClose: { peek: 'argumentsEnded' } } });
// …>Paris</parameter>⏎</invoke>
//                     ^ After an argument.
const afterEntry = expect({ choices: { keyOpen: 'inKey', callClose: { peek: 'argumentsEnded' } } });
// …ameter name="city">Paris</parameter>⏎
//                     ^^^^^ In an argument's value.
const inValue = value({ frames: [{ types: ['string', 'number', 'boolean', 'null', 'array', 'object'] }] });
// <get_time>
//  ^^^^^^^^ In the tool's name.
const inToolName2 = hole({
  hole: 'name',
  ends: {
    nameEnd: 'beforeArguments', callCloseEarly: { peek: 'beforeArguments' },
    argumentsAtOnce: { peek: 'beforeArguments' },
  },
  announce: true,
});
// …ame="city" string="true">Paris</parameter>⏎
//                     ^^^^^^^^^^^ In an argument's value.
const inValue2 = value({
  frames: [
    { open: 'true">', types: ['string'] },
    { open: 'false">', types: ['number', 'boolean', 'null', 'array', 'object'] },
  ],
});
// get_time({"city": "Paris"})
//          ^^^^^^^^^^^^^^^^^ In the arguments: one JSON object.
const beforeArguments2 = jsonArguments({ next: 'atCallEnd', ends: { callClose: { peek: 'atCallEnd' } } });
// …ll_argument_begin|>{"city": "Paris"}
//                     ^^^^^^^^^^^^^^^^^ In the arguments: one JSON object.
const beforeArguments3 = jsonArguments({ next: 'afterCall', ends: {} });
// {"city": "Paris"})⏎
//                  ^ At the end of a call.
const atCallEnd2 = expect({
  choices: { callClose: 'afterCall', semicolon: 'inToolName', comma: 'inToolName', unmarkedCall: 'inToolName' },
});
// get_time(city=
//          ^ Before the first argument, or the end of a call without any.
const beforeArguments4 = expect({ choices: { callClose: { peek: 'argumentsEnded' } }, otherwise: 'inKey' });
// city=Paris, days=
//             ^ Before an argument.
const beforeKey = expect({ choices: { callClose: { peek: 'argumentsEnded' } }, otherwise: 'inKey' });
// city=Paris, days=
//           ^^ After an argument.
const afterEntry2 = expect({ choices: { argumentSeparator: 'beforeKey', callClose: { peek: 'argumentsEnded' } } });

const invoke = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation invoke', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: '">\n',
    callCloseEarly: { text: '</invoke>', repairs: 'unclosed' },
    keyOpen: '<parameter name="',
    callClose: '</invoke>',
    keyEnd: '">',
    nextCall: { text: '<invoke name="', role: 'call', blockEnd: '</invoke>' },
  },
  states: {
    inToolName, beforeArguments,
    // …>⏎<parameter name="city">
    //                     ^^^^ In an argument's name.
    inKey: hole({
      hole: 'key', ends: { keyEnd: 'inValue' },
      place: {
        kind: 'entry', close: ['</parameter>\n'], continuations: [['<parameter name="'], ['</invoke>']],
        another: { open: '<parameter name="', keyEnd: '">' },
        calls: { open: '<invoke name="', close: '</invoke>', closing: ['</invoke>'] }, next: 'afterEntry',
      },
    }),
    inValue, afterEntry, argumentsEnded, atCallEnd, afterCall, inMalformed,
  },
});

const typedInvoke = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation typedInvoke', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: '">\n',
    callCloseEarly: { text: '</invoke>', repairs: 'unclosed' },
    keyOpen: '<parameter name="',
    callClose: '</invoke>',
    keyEnd: '" string="',
    nextCall: { text: '<invoke name="', role: 'call', blockEnd: '</invoke>' },
  },
  states: {
    inToolName, beforeArguments,
    // …>⏎<parameter name="city" string="
    //                     ^^^^ In an argument's name.
    inKey: hole({
      hole: 'key', ends: { keyEnd: 'inValue' },
      place: {
        kind: 'entry', close: ['</parameter>\n'], continuations: [['<parameter name="'], ['</invoke>']],
        another: { open: '<parameter name="', keyEnd: '" string="' },
        calls: { open: '<invoke name="', close: '</invoke>', closing: ['</invoke>'] }, next: 'afterEntry',
      },
    }),
    inValue: inValue2, afterEntry, argumentsEnded, atCallEnd, afterCall, inMalformed,
  },
});

const invokeTags = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation invokeTags', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: '">\n',
    callCloseEarly: { text: '</invoke>', repairs: 'unclosed' },
    keyOpen: '<',
    callClose: '</invoke>',
    keyEnd: '>',
    nextCall: { text: '<invoke name="', role: 'call', blockEnd: '</invoke>' },
  },
  states: {
    inToolName, beforeArguments,
    // get_time">⏎<city>
    //             ^^^^ In an argument's name.
    inKey: hole({
      hole: 'key', ends: { keyEnd: 'inValue' },
      place: {
        kind: 'entry', close: ['</', { hole: 'key' }, '>\n'], continuations: [['<'], ['</invoke>']],
        calls: { open: '<invoke name="', close: '</invoke>', closing: ['</invoke>'] }, next: 'afterEntry',
      },
    }),
    inValue, afterEntry, argumentsEnded, atCallEnd, afterCall, inMalformed,
  },
});

const functionTag = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation functionTag', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: '>\n',
    callCloseEarly: { text: '</function>', repairs: 'unclosed' },
    keyOpen: '<parameter=',
    callClose: '</function>',
    nextCall: { text: '<function=', role: 'call', blockEnd: '</function>' },
  },
  states: {
    inToolName, beforeArguments,
    // …t_time>⏎<parameter=city>⏎
    //                     ^^^^ In an argument's name.
    inKey: hole({
      hole: 'key', ends: { nameEnd: 'inValue' },
      place: {
        kind: 'entry', close: ['\n</parameter>\n'], continuations: [['<parameter='], ['</function>']],
        another: { open: '<parameter=', keyEnd: '>' },
        calls: { open: '<function=', close: '</function>', closing: ['</function>'] }, next: 'afterEntry',
      },
    }),
    inValue, afterEntry, argumentsEnded, atCallEnd, afterCall, inMalformed,
  },
});

const parameterTag = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation parameterTag', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: '>\n',
    callCloseEarly: { text: '</function>', repairs: 'unclosed' },
    keyOpen: '<parameter=',
    callClose: '</function>',
    nextCall: { text: '<parameter=', role: 'call', blockEnd: '</function>' },
  },
  states: {
    inToolName, beforeArguments,
    // …t_time>⏎<parameter=city>⏎
    //                     ^^^^ In an argument's name.
    inKey: hole({
      hole: 'key', ends: { nameEnd: 'inValue' },
      place: {
        kind: 'entry', close: ['\n</parameter>\n'], continuations: [['<parameter='], ['</function>']],
        another: { open: '<parameter=', keyEnd: '>' },
        calls: { open: '<parameter=', close: '</function>', closing: ['</function>'] }, next: 'afterEntry',
      },
    }),
    inValue, afterEntry, argumentsEnded, atCallEnd, afterCall, inMalformed,
  },
});

const nameAsParameter = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation nameAsParameter', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: '</parameter>\n',
    callCloseEarly: { text: '</tool_use>', repairs: 'unclosed' },
    keyOpen: '<parameter=',
    callClose: '</tool_use>',
    keyEnd: '>',
    nextCall: { text: '<parameter=tool_name>', role: 'call', blockEnd: '</tool_use>' },
    nameFirst: { text: '', role: 'call', followedBy: { nameEnds: ['</parameter>'] }, repairs: 'opener' },
  },
  states: {
    inToolName, beforeArguments,
    // …ameter>⏎<parameter=city>
    //                     ^^^^ In an argument's name.
    inKey: hole({
      hole: 'key', ends: { keyEnd: 'inValue' },
      place: {
        kind: 'entry', close: ['</parameter>\n'], continuations: [['<parameter='], ['</tool_use>']],
        another: { open: '<parameter=', keyEnd: '>' },
        calls: { open: '<parameter=tool_name>', close: '</tool_use>', closing: ['</tool_use>'] }, next: 'afterEntry',
      },
    }),
    inValue, afterEntry, argumentsEnded,
    // …>Paris</parameter>⏎</tool_use>⏎
    //                     ^^^^^^^^^^^ At the end of a call.
    atCallEnd: expect({ choices: { callClose: 'afterCall', nextCall: 'inToolName', nameFirst: 'inToolName' } }),
    afterCall, inMalformed,
  },
});

const doubledBars = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation doubledBars', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: '">\n',
    callCloseEarly: { text: '</｜｜DSML｜｜invoke>', repairs: 'unclosed' },
    keyOpen: '<｜｜DSML｜｜parameter name="',
    callClose: '</｜｜DSML｜｜invoke>',
    keyEnd: '" string="',
    nextCall: { text: '<｜｜DSML｜｜invoke name="', role: 'call', blockEnd: '</｜｜DSML｜｜invoke>' },
  },
  states: {
    inToolName, beforeArguments,
    // …L｜｜parameter name="city" string="
    //                     ^^^^ In an argument's name.
    inKey: hole({
      hole: 'key', ends: { keyEnd: 'inValue' },
      place: {
        kind: 'entry', close: ['</｜｜DSML｜｜parameter>\n'],
        continuations: [['<｜｜DSML｜｜parameter name="'], ['</｜｜DSML｜｜invoke>']],
        another: { open: '<｜｜DSML｜｜parameter name="', keyEnd: '" string="' },
        calls: {
          open: '<｜｜DSML｜｜invoke name="', close: '</｜｜DSML｜｜invoke>', closing: ['</｜｜DSML｜｜invoke>'],
        },
        next: 'afterEntry',
      },
    }),
    inValue: inValue2, afterEntry, argumentsEnded, atCallEnd, afterCall, inMalformed,
  },
});

const doubledBarsApart = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation doubledBarsApart', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: '">\n',
    callCloseEarly: { text: '</｜｜DSML｜｜ invoke>', repairs: 'unclosed' },
    keyOpen: '<｜｜DSML｜｜ parameter name="',
    callClose: '</｜｜DSML｜｜ invoke>',
    keyEnd: '" string="',
    nextCall: { text: '<｜｜DSML｜｜ invoke name="', role: 'call', blockEnd: '</｜｜DSML｜｜ invoke>' },
  },
  states: {
    inToolName, beforeArguments,
    // …｜｜ parameter name="city" string="
    //                     ^^^^ In an argument's name.
    inKey: hole({
      hole: 'key', ends: { keyEnd: 'inValue' },
      place: {
        kind: 'entry', close: ['</｜｜DSML｜｜ parameter>\n'],
        continuations: [['<｜｜DSML｜｜ parameter name="'], ['</｜｜DSML｜｜ invoke>']],
        another: { open: '<｜｜DSML｜｜ parameter name="', keyEnd: '" string="' },
        calls: {
          open: '<｜｜DSML｜｜ invoke name="', close: '</｜｜DSML｜｜ invoke>', closing: ['</｜｜DSML｜｜ invoke>'],
        },
        next: 'afterEntry',
      },
    }),
    inValue: inValue2, afterEntry, argumentsEnded, atCallEnd, afterCall, inMalformed,
  },
});

const numbered = defineParser({
  contract: 4, start: 'inComposedId', recover: 'inMalformed', templateSha256: 'notation numbered', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    idEnd: '<|tool_call_argument_begin|>',
    argumentsAtOnce: { text: '{', repairs: 'arguments-marker' },
  },
  states: {
    // get_time:0<|tool_call_arg…
    // ^^^^^^^^^^ In the call's id, which holds the tool's name.
    inComposedId: hole({
      hole: 'composed-id', ends: { idEnd: 'beforeArguments', argumentsAtOnce: { peek: 'beforeArguments' } },
      parts: [{ hole: 'name' }, ':', { hole: 'index' }], announce: true,
    }),
    beforeArguments: beforeArguments3, afterCall, inMalformed,
  },
});

const prefixed = defineParser({
  contract: 4, start: 'inComposedId', recover: 'inMalformed', templateSha256: 'notation prefixed', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    idEnd: '<|tool_call_argument_begin|>',
    callFollowerEarly: { text: 'functions.', repairs: 'unclosed' },
    argumentsAtOnce: { text: '{', repairs: 'arguments-marker' },
    callFollower: 'functions.',
  },
  states: {
    // functions.get_time:0<|tool_call_arg…
    //           ^^^^^^^^^^ In the call's id, which holds the tool's name.
    inComposedId: hole({
      hole: 'composed-id',
      ends: {
        idEnd: 'beforeArguments', callFollowerEarly: { peek: 'beforeArguments' },
        argumentsAtOnce: { peek: 'beforeArguments' },
      },
      parts: [{ hole: 'name' }, ':', { hole: 'index' }], announce: true,
    }),
    // …ll_argument_begin|>{"city": "Paris"}
    //                     ^^^^^^^^^^^^^^^^^ In the arguments: one JSON object.
    beforeArguments: jsonArguments({ next: 'afterCall', ends: { callFollower: { peek: 'afterCall' } } }),
    afterCall, inMalformed,
  },
});

const nameTagJson = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation nameTagJson', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: '>',
    callCloseEarly: { text: '</', repairs: 'unclosed' },
    argumentsAtOnce: { text: '{', repairs: 'arguments-marker' },
    callClose: '</',
    nextCall: { text: '<', role: 'call' },
  },
  states: {
    inToolName: inToolName2,
    // get_time>{"city": "Paris"}</get_time>
    //          ^^^^^^^^^^^^^^^^^ In the arguments: one JSON object.
    beforeArguments: jsonArguments({
      next: 'atCallEnd', ends: { callClose: { peek: 'atCallEnd' }, nameEnd: { peek: 'atCallEnd' } }, open: true,
    }),
    // {"city": "Paris"}</get_time>⏎
    //                  ^^^^^^^^^^^ At the end of a call.
    atCallEnd: expect({ choices: { callClose: 'inToolName2', nameEnd: 'afterCall', nextCall: 'inToolName' } }),
    // {"city": "Paris"}</get_time>⏎
    //                    ^^^^^^^^^ In the tool's name.
    inToolName2: hole({ hole: 'name', ends: { nameEnd: { peek: 'atOuterCallEnd' } } }),
    // … "Paris"}</get_time>⏎
    //                     ^ At the end of a call.
    atOuterCallEnd: expect({ choices: { nameEnd: 'afterCall', nextCall: 'inToolName' }, completes: true }),
    afterCall, inMalformed,
  },
});

const nameTag = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation nameTag', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: '>\n',
    callCloseEarly: { text: '</', repairs: 'unclosed' },
    keyOpen: '<',
    callClose: '</',
    callClose2: '>',
    nextCall: { text: '<', role: 'call' },
  },
  states: {
    inToolName,
    // get_time>⏎<city>
    //           ^ Before the first argument, or the end of a call without any.
    beforeArguments: expect({
      choices: { keyOpen: 'inKey', callClose: { peek: 'argumentsEnded' }, callClose2: { peek: 'argumentsEnded' } },
    }),
    // get_time>⏎<city>
    //            ^^^^ In an argument's name.
    inKey: hole({
      hole: 'key', ends: { callClose2: 'inValue' },
      place: {
        kind: 'entry', close: ['</', { hole: 'key' }, '>\n'], continuations: [['<'], ['</']], next: 'afterEntry',
      },
    }),
    inValue,
    // <city>Paris</city>⏎</get_time>
    //                    ^ After an argument.
    afterEntry: expect({
      choices: { keyOpen: 'inKey', callClose: { peek: 'argumentsEnded' }, callClose2: { peek: 'argumentsEnded' } },
    }),
    // <city>Paris</city>⏎</get_time>
    //                    ^ After the last argument.
    argumentsEnded: argumentsEnd({ next: 'atCallEnd', open: true }),
    // <city>Paris</city>⏎</get_time>⏎
    //                    ^^^^^^^^^^^ At the end of a call.
    atCallEnd: expect({ choices: { callClose: 'inToolName2', callClose2: 'afterCall', nextCall: 'inToolName' } }),
    // …ity>Paris</city>⏎</get_time>⏎
    //                     ^^^^^^^^^ In the tool's name.
    inToolName2: hole({ hole: 'name', ends: { callClose2: { peek: 'atOuterCallEnd' } } }),
    // …s</city>⏎</get_time>⏎
    //                     ^ At the end of a call.
    atOuterCallEnd: expect({ choices: { callClose2: 'afterCall', nextCall: 'inToolName' }, completes: true }),
    afterCall, inMalformed,
  },
});

const nameCallJson = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation nameCallJson', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: '(',
    callCloseEarly: { text: ')', repairs: 'unclosed' },
    argumentsAtOnce: { text: '{', repairs: 'arguments-marker' },
    callClose: ')',
    semicolon: { text: ';', role: 'call', followedBy: { nameEnds: ['(', '{'] }, repairs: 'separator' },
    comma: { text: ',', role: 'call', followedBy: { nameEnds: ['(', '{'] }, repairs: 'separator' },
    unmarkedCall: { text: '', role: 'call', nameFollows: ['(', '{'] },
  },
  states: {
    inToolName: inToolName2, beforeArguments: beforeArguments2, atCallEnd: atCallEnd2, afterCall, inMalformed,
  },
});

const python = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation python', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: '(',
    callCloseEarly: { text: ')', repairs: 'unclosed' },
    callClose: ')',
    keyEnd: '=',
    argumentSeparator: ', ',
    semicolon: { text: ';', role: 'call', followedBy: { nameEnds: ['('] }, repairs: 'separator' },
    comma: { text: ',', role: 'call', followedBy: { nameEnds: ['('] }, repairs: 'separator' },
    unmarkedCall: { text: '', role: 'call', nameFollows: ['('] },
  },
  states: {
    inToolName, beforeArguments: beforeArguments4, beforeKey,
    // get_time(city=
    //          ^^^^ In an argument's name.
    inKey: hole({
      hole: 'key', ends: { keyEnd: 'inValue' },
      place: { kind: 'entry', close: [], continuations: [[',', { hole: 'key' }, '='], [')']], next: 'afterEntry' },
    }),
    // city=Paris
    //      ^^^^^ In an argument's value.
    inValue: value({ frames: [{ types: ['string', 'number', 'boolean', 'null', 'array', 'object'], quoted: true }] }),
    afterEntry: afterEntry2, argumentsEnded, atCallEnd: atCallEnd2, afterCall, inMalformed,
  },
});

const nameJson = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation nameJson', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    argumentsBegin: '{',
  },
  states: {
    // get_time⏎
    // ^^^^^^^^ In the tool's name.
    inToolName: hole({
      hole: 'name', ends: { argumentsBegin: { peek: 'beforeArguments' } }, space: 'beforeArguments', announce: true,
    }),
    beforeArguments: beforeArguments3, afterCall, inMalformed,
  },
});

const tokenQuotes = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation tokenQuotes', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: '{',
    callCloseEarly: { text: '}', repairs: 'unclosed' },
    callClose: '}',
    keyEnd: ':',
    argumentSeparator: ',',
    arrayClose: ']',
    unmarkedCall: { text: '', role: 'call', nameFollows: ['{'] },
  },
  states: {
    inToolName, beforeArguments: beforeArguments4, beforeKey,
    // get_time{city:
    //          ^^^^ In an argument's name.
    inKey: hole({
      hole: 'key', ends: { keyEnd: 'inValue' },
      place: { kind: 'entry', close: [], continuations: [[',', { hole: 'key' }, ':'], ['}']], next: 'afterEntry' },
    }),
    // city:<|"|>Paris<|"|>
    //      ^^^^^^^^^^^^^^^ In an argument's value.
    inValue: value({
      frames: [
        { open: '<|"|>', close: '<|"|>', types: ['string'] },
        { types: ['number', 'boolean', 'null', 'array', 'object'] },
      ],
      object: { open: '{', next: 'inObject' }, array: { open: '[', next: 'inArray' },
    }),
    afterEntry: afterEntry2, argumentsEnded,
    // {city:
    //  ^ In a nested object, before its first key.
    inObject: expect({ choices: { callClose: 'nestedEnded' }, otherwise: 'inObjectKey' }),
    // …ty:<|"|>Paris<|"|>,days:
    //                     ^ In a nested object, before another key.
    beforeObjectKey: expect({ choices: { callClose: 'nestedEnded' }, otherwise: 'inObjectKey' }),
    // {city:
    //  ^^^^ In a key of a nested object.
    inObjectKey: hole({
      hole: 'key', ends: { keyEnd: 'inValue' },
      place: {
        kind: 'property', close: [], continuations: [[',', { hole: 'key' }, ':'], ['}']], next: 'afterProperty',
      },
    }),
    // …ity:<|"|>Paris<|"|>,days:
    //                     ^ After a property of a nested object.
    afterProperty: expect({ choices: { argumentSeparator: 'beforeObjectKey', callClose: 'nestedEnded' } }),
    // [<|"|>Paris<|"|>
    //  ^ In a nested array, before its first item.
    inArray: expect({ choices: { arrayClose: 'nestedEnded' }, otherwise: 'inItem' }),
    // [<|"|>Paris<|"|>,<|"|>Paris<|"|>
    //                  ^ In a nested array, before another item.
    beforeItem: expect({ choices: { arrayClose: 'nestedEnded' }, otherwise: 'inItem' }),
    // [<|"|>Paris<|"|>
    //  ^ At an item of a nested array.
    inItem: item({
      place: { kind: 'item', close: [], continuations: [[','], [']']], next: 'afterItem' }, next: 'inValue',
    }),
    // [<|"|>Paris<|"|>,<|"|>Paris<|"|>
    //                 ^ After an item of a nested array.
    afterItem: expect({ choices: { argumentSeparator: 'beforeItem', arrayClose: 'nestedEnded' } }),
    // …ty:<|"|>Paris<|"|>}}
    //                     ^ After a nested value.
    nestedEnded: nestedEnd({}),
    // city:<|"|>Paris<|"|>}⏎
    //                     ^ At the end of a call.
    atCallEnd: expect({ choices: { callClose: 'afterCall', unmarkedCall: 'inToolName' } }),
    afterCall, inMalformed,
  },
});

const transcript = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation transcript', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: '(',
    callCloseEarly: { text: ')]', repairs: 'unclosed' },
    argumentsAtOnce: { text: '{', repairs: 'arguments-marker' },
    callClose: ')]',
    nextCall: { text: '[Calling tool: ', role: 'call' },
  },
  states: {
    inToolName: inToolName2, beforeArguments: beforeArguments2, atCallEnd, afterCall, inMalformed,
  },
});

const transcriptWords = defineParser({
  contract: 4, start: 'inToolName', recover: 'inMalformed', templateSha256: 'notation transcriptWords', turnStart: '',
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
    nameEnd: ' with arguments: ',
    callCloseEarly: { text: ']', repairs: 'unclosed' },
    argumentsAtOnce: { text: '{', repairs: 'arguments-marker' },
    callClose: ']',
    nextCall: { text: '[Calling tool: ', role: 'call' },
  },
  states: {
    inToolName: inToolName2, beforeArguments: beforeArguments2, atCallEnd, afterCall, inMalformed,
  },
});

/** The notations, in the order in which they are tried. */
export const notations: readonly Notation<State>[] = [
  { name: "invoke", open: "<invoke name=\"", nameEnds: ["\">"], start: invoke.start },
  { name: "typedInvoke", open: "<invoke name=\"", nameEnds: ["\">"], start: typedInvoke.start },
  { name: "invokeTags", open: "<invoke name=\"", nameEnds: ["\">"], start: invokeTags.start },
  { name: "functionTag", open: "<function=", nameEnds: [">"], start: functionTag.start },
  { name: "parameterTag", open: "<parameter=", nameEnds: [">"], start: parameterTag.start },
  { name: "nameAsParameter", open: "<parameter=tool_name>", nameEnds: ["</parameter>"], start: nameAsParameter.start },
  { name: "doubledBars", open: "<｜｜DSML｜｜invoke name=\"", nameEnds: ["\">"], start: doubledBars.start },
  { name: "doubledBarsApart", open: "<｜｜DSML｜｜ invoke name=\"", nameEnds: ["\">"], start: doubledBarsApart.start },
  { name: "numbered", open: "", nameEnds: [":"], start: numbered.start },
  { name: "prefixed", open: "functions.", nameEnds: [":"], start: prefixed.start },
  { name: "nameTagJson", open: "<", nameEnds: [">"], start: nameTagJson.start },
  { name: "nameTag", open: "<", nameEnds: [">"], start: nameTag.start },
  { name: "nameCallJson", open: "", nameEnds: ["("], start: nameCallJson.start },
  { name: "python", open: "", nameEnds: ["("], start: python.start },
  { name: "nameJson", open: "", nameEnds: ["{"], start: nameJson.start },
  { name: "tokenQuotes", open: "", nameEnds: ["{"], start: tokenQuotes.start },
  { name: "transcript", open: "[Calling tool:", nameEnds: ["("], start: transcript.start },
  { name: "transcriptWords", open: "[Calling tool:", nameEnds: ["with"], start: transcriptWords.start },
];
