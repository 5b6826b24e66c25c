/* SPDX-License-Identifier: MIT */
%{
#include <stdio.h>
int yylex(void);
void yyerror(const char *text);
%}
%token NUMBER
%left '+' '-'
%left '*' '/'
%%
list:
	| list expression '\n' { printf("%d\n", $2); }
	;
expression: NUMBER
	| expression '+' expression { $$ = $1 + $3; }
	| expression '-' expression { $$ = $1 - $3; }
	| expression '*' expression { $$ = $1 * $3; }
	| expression '/' expression { $$ = $1 / $3; }
	;
%%
