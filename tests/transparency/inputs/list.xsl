<?xml version="1.0"?>
<!-- SPDX-License-Identifier: MIT -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
 <xsl:output method="text"/>
 <xsl:template match="/list">
  <xsl:for-each select="item"><xsl:sort select="@size" data-type="number"/>
   <xsl:value-of select="concat(@size, ' ', name, '&#10;')"/>
  </xsl:for-each>
 </xsl:template>
</xsl:stylesheet>
